import { type RefObject, useLayoutEffect, useState } from "react";

/** Returns the height above a list in pixels, which changes with the content above it. */
export function useMargin(frame: RefObject<HTMLElement | null>): number {
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => setMargin((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [frame]);
  return margin;
}
