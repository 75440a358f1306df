import * as z from "zod/mini";
import type * as ids from "./ids.ts";

/** Ids in events. Any string is valid, to accept older journals, but each kind has its own type. */
export const CommitId: z.ZodMiniType<ids.CommitId> = z.string();
export const TreeId: z.ZodMiniType<ids.TreeId> = z.string();
export const WaitId: z.ZodMiniType<ids.WaitId> = z.string();
export const ExecutionId: z.ZodMiniType<ids.ExecutionId> = z.string();
