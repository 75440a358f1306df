import type { Result } from "./verb.ts";

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

/** Runs work that stops cleanly on SIGINT, SIGTERM or SIGHUP; a second signal ends the program at once. */
export async function withSignals(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const received: { code: Result["code"] | null } = { code: null };
  const names = Object.keys(CODES) as (keyof typeof CODES)[];
  const listener = (name: NodeJS.Signals): void => {
    if (received.code !== null) process.exit(received.code);
    received.code = CODES[name as keyof typeof CODES];
    controller.abort();
  };
  for (const name of names) process.on(name, listener);
  try {
    const result = await work(controller.signal);
    return received.code === null ? result : { ...result, code: received.code };
  } finally {
    for (const name of names) process.off(name, listener);
  }
}
