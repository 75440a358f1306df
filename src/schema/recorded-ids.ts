import * as z from "zod/mini";
import type * as ids from "./ids.ts";

/** Ids as events hold them: any text, since older journals are not to be refused for it, but of one kind. */
export const CommitId: z.ZodMiniType<ids.CommitId> = z.string();
export const TreeId: z.ZodMiniType<ids.TreeId> = z.string();
export const WaitId: z.ZodMiniType<ids.WaitId> = z.string();
export const ExecutionId: z.ZodMiniType<ids.ExecutionId> = z.string();
