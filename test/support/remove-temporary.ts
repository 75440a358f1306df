import { rmSync } from "node:fs";

/** Removes a folder of a test. Retries, because a terminated process may write there for a moment. */
export const removeTemporary = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }); // milliseconds, longer with each retry
