const WORD = /[\p{L}\p{N}\p{S}]+/gu;
/** Numbers of lists and states of task boxes, which are drawn as something else. */
const MARKERS = /^((?:\s|>)*)(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\](?=\s))?(?=\s|$)/gm;
const DECORATION = /[☑☐`~+|<>=^]/g;

/** True if the letters and digits of the drawing are exactly those of the source. What cannot be compared counts as hidden. */
export const isWhollyShown = (source: string, drawing: Element): boolean =>
  letters(source.replaceAll(MARKERS, "$1")) === letters(drawnText(drawing));

const letters = (text: string): string => (text.replaceAll(DECORATION, "").match(WORD) ?? []).join("");

/** The text of the document, without controls and comments that the page adds to it. */
function drawnText(drawing: Element): string {
  const walker = document.createTreeWalker(drawing, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(ADDED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const parts: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (!(node instanceof Element)) parts.push(node.textContent ?? "");
  return parts.join("");
}

/** Parts of the page within the document. */
const ADDED = "button, .notes, summary, figcaption";
