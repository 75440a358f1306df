import type { ProcessIdentity } from "../../schema/facts.ts";
import { isSafeName } from "../../schema/ids.ts";
import type { ProcessFacts, ProcessTable } from "../process/process-table.ts";
import { HOST_MARKERS } from "./agent-markers.ts";
import type { Environment } from "../process/child-environment.ts";

/** Agent product and session that a process belongs to, as far as known. */
export type SessionHost = {
  readonly id: string;
  readonly host: string | null;
  readonly process: ProcessIdentity;
};

/** Products by the variables of their commands, and the variables with the session id. */
const PRODUCTS: readonly {
  readonly name: string;
  readonly marks: readonly string[];
  readonly id: readonly string[];
}[] = [
  {
    name: "claude",
    marks: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR"],
    id: ["CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID"],
  },
  { name: "codex", marks: ["CODEX_THREAD_ID", "CODEX_SANDBOX"], id: ["CODEX_THREAD_ID"] },
  { name: "gemini", marks: ["GEMINI_CLI"], id: ["GEMINI_SESSION_ID"] },
  { name: "opencode", marks: ["OPENCODE"], id: ["OPENCODE_SESSION_ID"] },
];

type HostContext = { readonly env: Environment; readonly table: ProcessTable; readonly pid: number };

/**
 * Finds the origin of a call. The process of the session is the nearest ancestor without the product's markers, or the
 * parent if the call has no markers. A session without an id is named after that process.
 */
export function findSession({ env, table, pid }: HostContext, named: string | undefined): SessionHost {
  const product = PRODUCTS.find(({ marks }) => marks.some((mark) => isSet(env[mark])));
  const host = hostProcess(table, pid, product !== undefined);
  const told = named ?? product?.id.map((name) => env[name]).find(isSet);
  const own = table.one(pid);
  const process = { pid: host?.pid ?? pid, started: (host ?? own)?.started ?? "unknown", boot: table.boot() };
  const id = told !== undefined && isSafeName(told) ? told : `process-${process.pid}`;
  return { id, host: product?.name ?? null, process };
}

function hostProcess(table: ProcessTable, pid: number, isMarked: boolean): ProcessFacts | null {
  const parent = (facts: ProcessFacts | null): ProcessFacts | null =>
    facts === null || facts.parent <= 1 ? null : table.one(facts.parent);
  let above = parent(table.one(pid));
  if (!isMarked) return above;
  while (above !== null && carriesMark(table, above)) above = parent(above);
  return above;
}

const carriesMark = (table: ProcessTable, { pid }: ProcessFacts): boolean =>
  (table.environment(pid) ?? []).some((entry) => HOST_MARKERS.some((mark) => entry.startsWith(`${mark}=`)));

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";
