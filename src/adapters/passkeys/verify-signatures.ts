import type { FoundSignatures } from "../../core/find-signatures.ts";
import { verifyDecision } from "./verify-assertion.ts";

export type WrongSignature = { readonly seq: number; readonly detail: string };

/** What is wrong with the signed decisions of a journal, in its order; without the page they were signed on. */
export async function verifySignatures({ signatures, wrong }: FoundSignatures): Promise<readonly WrongSignature[]> {
  const verified = await Promise.all(
    signatures.map(async ({ seq, signature, key }) => ({
      seq,
      result: await verifyDecision(signature, { key, origin: null, counter: 0 }),
    })),
  );
  const refused = verified.flatMap(({ seq, result }) => (result.ok ? [] : [{ seq, detail: result.detail }]));
  return [...wrong, ...refused].toSorted((one, other) => one.seq - other.seq);
}
