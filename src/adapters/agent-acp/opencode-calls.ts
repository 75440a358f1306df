import { shorten } from "../process/progress-text.ts";
import type { CallLog } from "./acp-call-log.ts";

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
