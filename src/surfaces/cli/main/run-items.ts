import type { Host } from "./run-cli.ts";
import { runPlain } from "./run-plain.ts";
import { items } from "../verbs/list-items.ts";

/** In its own bundle: listing a thousand items takes less time than loading the whole program. */
export const runItems = (args: readonly string[], host: Host): Promise<number | null> => runPlain(items, args, host);
