import type { ProcessIdentity } from "../schema/facts.ts";

/** The number alone may be used again: with the start time and the boot it names one process. */
export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.started === other.started && one.boot === other.boot;
