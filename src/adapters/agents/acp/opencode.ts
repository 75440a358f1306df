import * as z from "zod/mini";
import type { AcpAccount } from "./account.ts";
import type { CallLog } from "./call-log.ts";
import { shorten } from "../../process/told-usage.ts";

/** Path under opencode's data folder, in its only subfolder that outlasts a sandbox. */
export const OPENCODE_RECORDS = "log/isdlc.db";

const count = z.nullable(z.number().check(z.nonnegative()));
const Sums = z.tuple([z.object({ input: count, output: count, usd: count })]);

/**
 * Over the protocol, opencode reports only the tokens of its last call, and nothing for a failed turn. Its own records
 * have every answered call, also of sub-agents.
 */
export const opencodeAccount: AcpAccount = {
  args: ({ id, since }) => (/^[A-Za-z0-9_-]+$/.test(id) ? ["db", sums(id, since), "--format", "json", "--pure"] : null),
  read: (output) => {
    const read = z.safeParse(Sums, parsed(output));
    if (!read.success) return null;
    const [{ input, output: written, usd }] = read.data;
    if ((input ?? 0) + (written ?? 0) === 0) return null;
    return { input, output: written, usd: usd === 0 ? null : usd }; // always 0 if its settings have no prices
  },
};

const token = (name: string): string => `coalesce(json_extract(data, '$.tokens.${name}'), 0)`;

const sums = (id: string, since: number): string =>
  [
    `select sum(${token("input")} + ${token("cache.read")} + ${token("cache.write")}) as input,`,
    `sum(${token("output")} + ${token("reasoning")}) as output,`,
    `sum(coalesce(json_extract(data, '$.cost'), 0)) as usd`,
    `from message where time_created >= ${Math.floor(since)}`,
    `and session_id in (select id from session where id = '${id}' or parent_id = '${id}')`,
  ].join(" ");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // another format
  }
}

/** opencode retries failed calls without limit, and reports calls only in its log. */
export const opencodeCalls: CallLog = {
  on: "stderr",
  args: ["--print-logs", "--log-level", "INFO"],
  read: (line) => {
    if (BEGUN.test(line)) return { is: "begun" };
    const [, error] = FAILED.exec(line) ?? [];
    return error === undefined ? null : { is: "failed", what: shorten(error)[0] ?? "no answer" };
  },
};

const BEGUN = / message=stream .* small=false /;

/** `small=true` marks titles and similar calls; no work depends on them. */
const FAILED = /message="stream error".* small=false .*error\.error="(?:[A-Za-z_]*Error: )?([^"]*)/;
