type End = () => void | Promise<void>;

const begun = new Set<End>();

/** Notes how something that goes on by itself is ended, and gives the call that ends it: whoever is cut off before has it ended by `endAll`. */
export function toEnd(end: End): () => Promise<void> {
  begun.add(end);
  return async () => {
    if (begun.delete(end)) await end();
  };
}

/** Ends what a bench that failed or was interrupted has left, the newest first. */
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
