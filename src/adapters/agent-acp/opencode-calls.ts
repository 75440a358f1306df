import { shorten } from "../process/progress-text.ts";
import type { CallLog } from "./acp-call-log.ts";

/** opencode tries failed calls again for as long as it takes, and tells of them in its log only. */
export const opencodeCalls: CallLog = {
  on: "stderr",
  args: ["--print-logs", "--log-level", "ERROR"],
  read: (line) => {
    const [, error] = FAILED.exec(line) ?? [];
    return error === undefined ? null : { is: "failed", what: shorten(error)[0] ?? "no answer" };
  },
};

/** `small=true` is for titles and the like, which nothing depends on. */
const FAILED = /message="stream error".* small=false .*error\.error="(?:[A-Za-z_]*Error: )?([^"]*)/;
