export type DrawRequest = { readonly id: number; readonly source: string; readonly isDark: boolean };
export type Drawn = { readonly id: number; readonly svg: string | null };

const DRAW_TIMEOUT_MS = 15_000; // milliseconds
const MAX_DIAGRAM_LENGTH = 20_000; // characters

let frame: Promise<Window> | null = null;
let last = 0;

/** Returns the frame that draws diagrams, created for the first one. */
function drawer(): Promise<Window> {
  frame ??= new Promise((resolve) => {
    const element = document.createElement("iframe");
    element.src = "/diagram.html";
    element.title = "Diagrams are drawn here";
    element.tabIndex = -1;
    element.className = "drawer";
    element.setAttribute("aria-hidden", "true");
    const onReady = ({ source, data }: MessageEvent): void => {
      if (source !== element.contentWindow || data !== "ready" || element.contentWindow === null) return;
      removeEventListener("message", onReady);
      resolve(element.contentWindow);
    };
    addEventListener("message", onReady);
    document.body.append(element);
  });
  return frame;
}

/** Draws a diagram as SVG. Returns null on failure. */
export async function drawDiagram(source: string): Promise<string | null> {
  if (source.length > MAX_DIAGRAM_LENGTH) return null;
  const window = await drawer();
  const id = ++last;
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  return new Promise((resolve) => {
    const end = (svg: string | null): void => {
      clearTimeout(timer);
      removeEventListener("message", onDrawn);
      resolve(svg);
    };
    const onDrawn = ({ source: from, data }: MessageEvent<Drawn>): void => {
      if (from === window && data.id === id) end(data.svg);
    };
    const timer = setTimeout(() => end(null), DRAW_TIMEOUT_MS);
    addEventListener("message", onDrawn);
    window.postMessage({ id, source, isDark } satisfies DrawRequest, location.origin);
  });
}
