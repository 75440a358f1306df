import { isRecord, ownValue } from "../../core/own-value.ts";
import { PREDICATE_TYPE, RunStatement, STATEMENT_TYPE } from "../../schema/attestation.ts";

export type StatementReading =
  | { readonly is: "statement"; readonly statement: RunStatement }
  | { readonly is: "refused"; readonly why: string };

/** The statement in a payload. Signed or not, it must be written the one way that a statement is written. */
export function readStatement(payload: Buffer): StatementReading {
  const text = payload.toString("utf8");
  let value: unknown;
  let written: string;
  try {
    value = JSON.parse(text);
    written = JSON.stringify(value);
  } catch {
    return refused("its payload is not JSON, or nested too deeply");
  }
  if (written !== text || !Buffer.from(text, "utf8").equals(payload))
    return refused("its payload is not written the one way a statement is written (repeated keys, spaces)");
  if (!isRecord(value) || ownValue(value, "_type") !== STATEMENT_TYPE)
    return refused("its payload is not an in-toto statement of version 1");
  const type = ownValue(value, "predicateType");
  if (type !== PREDICATE_TYPE)
    return refused(`it is of the type ${JSON.stringify(type ?? null).slice(0, 100)}, which this version does not know`);
  const read = RunStatement.safeParse(value);
  if (read.success) return { is: "statement", statement: read.data };
  const [issue] = read.error.issues;
  return refused(`it does not say what it should at ${issue?.path.join(".").slice(0, 100) ?? "?"}`);
}

export const encodeStatement = (statement: RunStatement): Buffer => Buffer.from(JSON.stringify(statement), "utf8");

const refused = (why: string): StatementReading => ({ is: "refused", why });
