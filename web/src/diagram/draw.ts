import mermaid from "mermaid";
import type { Asked, Drawn } from "../parts/draw-diagram.ts";

/** One after the other: drawing uses the page's own elements to measure. */
let before: Promise<unknown> = Promise.resolve();

addEventListener("message", ({ source, origin, data }: MessageEvent<Asked>) => {
  if (source !== parent || origin !== location.origin) return;
  before = before.then(() => draw(data)).then((drawn) => parent.postMessage(drawn, location.origin));
});

async function draw({ id, source, isDark }: Asked): Promise<Drawn> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: isDark ? "dark" : "neutral",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: 20_000,
  });
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, source);
    return { id, svg };
  } catch {
    return { id, svg: null };
  } finally {
    document.body.replaceChildren();
  }
}

parent.postMessage("ready", location.origin);
