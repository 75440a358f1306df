const WORD = /[\p{L}\p{N}\p{S}]+/gu;
/** List markers and states of task boxes, which are rendered differently. */
const MARKERS = /^((?:\s|>)*)(?:[-*+]|\d{1,9}[.)])(?:\s+\[[ xX]\](?=\s))?(?=\s|$)/gm;
const DECORATION = /[☑☐`~+|<>=^]/g;

/**
 * Returns true if the rendered document has exactly the letters and digits of its source. Text that cannot be compared
 * counts as hidden.
 */
export const isWhollyShown = (source: string, drawing: Element): boolean =>
  letters(source.replaceAll(MARKERS, "$1")) === letters(drawnText(drawing));

const letters = (text: string): string => (text.replaceAll(DECORATION, "").match(WORD) ?? []).join("");

/** Returns the text of the document, without controls and comments added by the page. */
function drawnText(drawing: Element): string {
  const walker = document.createTreeWalker(drawing, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(ADDED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const parts: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (!(node instanceof Element)) parts.push(node.textContent ?? "");
  return parts.join("");
}

/** Elements added to the document by the page. */
const ADDED = "button, .notes, summary, figcaption";
