import * as z from "zod/mini";

/**
 * - `fact`: reported by a worker; the server cannot verify it.
 * - `verified`: compared by the server with known values; differences are refused.
 * - `decision`: never accepted from a worker; the server takes it from the request, the policy or the journal.
 */
export type FieldKind = "fact" | "verified" | "decision";

export type ReportField = { readonly kind: FieldKind; readonly schema: z.ZodMiniType };

export const fact = (schema: z.ZodMiniType): ReportField => ({ kind: "fact", schema });
export const verified = (schema: z.ZodMiniType): ReportField => ({ kind: "verified", schema });
export const decision: ReportField = { kind: "decision", schema: z.never() };
