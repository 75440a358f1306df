import { isRecord, ownValue } from "../../core/own-value.ts";
import type { LineCode } from "../../core/attestation/verification-codes.ts";
import {
  LANDING_TYPE,
  LandingStatement,
  PREDICATE_TYPE,
  RunStatement,
  STATEMENT_TYPE,
} from "../../schema/attestation.ts";

export type StatementReading =
  | { readonly is: "run"; readonly statement: RunStatement }
  | { readonly is: "landing"; readonly statement: LandingStatement }
  | { readonly is: "refused"; readonly code: LineCode; readonly why: string };

/** Reads the statement in a payload. Only the canonical encoding is accepted. */
export function readStatement(payload: Buffer): StatementReading {
  const text = payload.toString("utf8");
  let value: unknown;
  let written: string;
  try {
    value = JSON.parse(text);
    written = JSON.stringify(value);
  } catch {
    return refused("STATEMENT_INVALID", "its payload is not JSON, or nested too deeply");
  }
  if (written !== text || !Buffer.from(text, "utf8").equals(payload))
    return refused("STATEMENT_INVALID", "its payload is not written in the canonical form (repeated keys, spaces)");
  if (!isRecord(value) || ownValue(value, "_type") !== STATEMENT_TYPE)
    return refused("STATEMENT_INVALID", "its payload is not an in-toto statement of version 1");
  const type = ownValue(value, "predicateType");
  if (type === PREDICATE_TYPE) {
    const read = RunStatement.safeParse(value);
    return read.success ? { is: "run", statement: read.data } : refusedBy(read.error.issues);
  }
  if (type === LANDING_TYPE) {
    const read = LandingStatement.safeParse(value);
    return read.success ? { is: "landing", statement: read.data } : refusedBy(read.error.issues);
  }
  const name = JSON.stringify(type ?? null).slice(0, 100);
  return refused("TYPE_UNKNOWN", `it is of the type ${name}, which this version does not know`);
}

export const encodeStatement = (statement: RunStatement | LandingStatement): Buffer =>
  Buffer.from(JSON.stringify(statement), "utf8");

const refused = (code: LineCode, why: string): StatementReading => ({ is: "refused", code, why });

/** Issue as reported by the schema library. */
type Issue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[] | undefined;
  readonly errors?: readonly (readonly Issue[])[] | undefined;
};

/** Fields of two alternatives. The schema library may report those of one as unknown in the other. */
const ALTERNATIVE_FIELDS: ReadonlySet<string> = new Set(
  ["name", "host", "login", "user"].map((field) => `predicate.mergedBy.${field}`),
);

function refusedBy(issues: readonly Issue[]): StatementReading {
  const unknown = issues.flatMap((issue) => unknownFields(issue)).find((field) => !ALTERNATIVE_FIELDS.has(field));
  if (unknown !== undefined)
    return refused("NEWER_VERSION", `it has the field ${unknown.slice(0, 100)}, which this version does not know`);
  const path = issues[0]?.path.join(".").slice(0, 100) ?? "?";
  return refused("STATEMENT_INVALID", `a field has a wrong value: ${path}`);
}

/** Returns the fields that no alternative of the schema allows at their place. */
function unknownFields(issue: Issue): string[] {
  if (issue.code === "unrecognized_keys") return (issue.keys ?? []).map((key) => [...issue.path, key].join("."));
  const [first = [], ...others] = (issue.errors ?? []).map((branch) => branch.flatMap(unknownFields));
  const objects = [first, ...others].filter((fields, index) => isObjectBranch(issue.errors?.[index] ?? [], fields));
  const [some = [], ...more] = objects;
  return some
    .filter((field) => more.every((fields) => fields.includes(field)))
    .map((field) => [...issue.path, field].join("."));
}

/** False for a schema alternative that is not an object: its issues name no fields. */
const isObjectBranch = (issues: readonly Issue[], fields: readonly string[]): boolean =>
  fields.length > 0 || issues.some(({ path }) => path.length > 0);
