/** Focused element and its ancestors, nearest first. */
let chain: readonly Element[] = [];

/** Returns true if no control has the focus: keys would start at the top of the page. */
export const isFocusLost = (active: Element | null = document.activeElement): boolean =>
  active === null || active === document.body || active.id === "content";

/**
 * Moves the focus from a removed or disabled control to the nearest place that still exists, or else to the content of
 * the page. A focus removed by the user is not restored.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    chain = target instanceof Element ? listAncestors(target) : [];
  });
  const observer = new MutationObserver(() => {
    const [last] = chain;
    if (document.activeElement !== document.body || last === undefined || isUsable(last)) return;
    const place = chain.find((one) => one.isConnected && one.matches(PLACES)) ?? document.querySelector("#content");
    if (place instanceof HTMLElement) focusPlace(place);
  });
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled"],
  });
}

/** Elements that may receive the focus of something removed from them. */
const PLACES = "a, button:not(:disabled), [tabindex], [data-note], .block, .wait, #content";

const isUsable = (element: Element): boolean => element.isConnected && !element.matches(":disabled");

function focusPlace(place: HTMLElement): void {
  if (place.tabIndex < 0 && !place.hasAttribute("tabindex")) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

function listAncestors(element: Element): Element[] {
  const found: Element[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) found.push(at);
  return found;
}
