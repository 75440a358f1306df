import { rmSync } from "node:fs";

/** Removes a folder of a test. A process that was told to end may still write there for a moment. */
export const removeTemporary = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }); // milliseconds, more each time
