import { shorten } from "../process/progress-text.ts";
import type { CallLog } from "./acp-call-log.ts";

/** opencode tries failed calls again for as long as it takes, and tells of its calls in its log only. */
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

/** `small=true` is for titles and the like, which nothing depends on. */
const FAILED = /message="stream error".* small=false .*error\.error="(?:[A-Za-z_]*Error: )?([^"]*)/;
