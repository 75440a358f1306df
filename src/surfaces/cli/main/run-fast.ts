import { existsSync } from "node:fs";
import { loginPath, userFolders } from "../../../adapters/files/user-folders.ts";
import type { Host } from "./run-cli.ts";
import { runPlain } from "./run-plain.ts";
import { plainNext, plainSessionStart, plainStatus } from "../verbs/plain-status.ts";

/**
 * Runs the two most frequent commands, and the hook of each new session. For a user signed in to a team server,
 * `status` may mean a team's run: returns null.
 */
export const runFast = async (args: readonly string[], host: Host): Promise<number | null> => {
  if (args[0] === "hook") return args[1] === "session-start" ? runPlain(plainSessionStart, args.slice(1), host) : null;
  if (args[0] === "next") return runPlain(plainNext, args, host);
  return existsSync(loginPath(userFolders(host.env))) ? null : runPlain(plainStatus, args, host);
};
