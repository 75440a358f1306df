import { useEffect, useState } from "react";
import { drawDiagram } from "./draw-diagram.ts";

type Drawing = { readonly url: string | null; readonly width: string };

/** Width in the SVG: a small diagram is not enlarged to the width of the page. */
const NATURAL_WIDTH = /max-width: ([\d.]+px)/;

/** Displays a diagram as an image: images run no scripts and send no requests, independent of their source. */
export function Diagram({ source }: { readonly source: string }) {
  const [drawn, setDrawn] = useState<Drawing | null>(null);
  useEffect(() => {
    let url: string | null = null;
    let isGone = false;
    const show = async (): Promise<void> => {
      const svg = await drawDiagram(source);
      if (isGone) return;
      url = svg === null ? null : URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      setDrawn({ url, width: svg === null ? "" : (NATURAL_WIDTH.exec(svg)?.[1] ?? "") });
    };
    void show();
    return () => {
      isGone = true;
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [source]);
  const text = <pre tabIndex={0}>{source}</pre>;
  if (drawn === null) return <div className="diagram">{text}</div>;
  if (drawn.url === null)
    return (
      <figure className="diagram">
        {text}
        <figcaption className="subtle">This diagram cannot be drawn; its text is shown.</figcaption>
      </figure>
    );
  return (
    <figure className="diagram">
      <img src={drawn.url} alt="Diagram; its text follows" style={{ width: drawn.width }} />
      <details>
        <summary>Text of the diagram</summary>
        {text}
      </details>
    </figure>
  );
}
