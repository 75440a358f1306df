type End = () => void | Promise<void>;

const begun = new Set<End>();

/**
 * Registers how to stop something that keeps running, and returns a function that stops it. After a failure or an
 * interrupt, `endAll` does.
 */
export function toEnd(end: End): () => Promise<void> {
  begun.add(end);
  return async () => {
    if (begun.delete(end)) await end();
  };
}

/** Stops everything left by a failed or interrupted bench, the newest first. */
export async function endAll(): Promise<void> {
  for (let end = [...begun].at(-1); end !== undefined; end = [...begun].at(-1)) {
    begun.delete(end);
    try {
      await end();
    } catch (error) {
      console.error(`something could not be ended: ${String(error)}`);
    }
  }
}
