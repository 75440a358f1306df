import mermaid from "mermaid";
import type { DrawRequest, Drawn } from "../parts/draw-diagram.ts";

/** Draws one diagram at a time, because drawing measures elements in the page. */
let before: Promise<unknown> = Promise.resolve();

addEventListener("message", ({ source, origin, data }: MessageEvent<DrawRequest>) => {
  if (source !== parent || origin !== location.origin) return;
  before = before.then(() => draw(data)).then((drawn) => parent.postMessage(drawn, location.origin));
});

/** Settings that a diagram must not change: styles could load other addresses. */
const SETTLED = [...Object.keys(mermaid.mermaidAPI.defaultConfig), "themeCSS", "themeVariables"];

/** Escapes elements to text before they can be interpreted. Line breaks and arrows stay. */
const withoutMarkup = (source: string): string => source.replaceAll(/(?<!<)<(?!br\s*\/?>)(?=[a-z/!?])/gi, "#lt;");

async function draw({ id, source, isDark }: DrawRequest): Promise<Drawn> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: isDark ? "dark" : "neutral",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: 20_000,
    secure: SETTLED,
  });
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, withoutMarkup(source));
    return { id, svg };
  } catch {
    return { id, svg: null };
  } finally {
    document.body.replaceChildren();
  }
}

parent.postMessage("ready", location.origin);
