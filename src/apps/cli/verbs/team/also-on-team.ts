import { existsSync } from "node:fs";
import { loginPath, userFolders } from "../../../../adapters/user-files/user-folders.ts";
import { flag, type Run } from "../../grammar/verb.ts";
import type * as TeamVerbs from "./team-verbs.ts";

type OnTeam = "teamStatus" | "teamGate" | "teamAnswer" | "teamHistory" | "teamLogs" | "teamItems" | "teamBegin";

/** In the same bundle, and made ready only when it is asked for: few are in a team. */
const teamVerbs = (): typeof TeamVerbs => require("./team-verbs.ts") as typeof TeamVerbs;

/** A verb that is about the run here, or about a team's where none is open here; who is signed in to none loads nothing of it. */
export const alsoOnTeam =
  (here: Run, there: OnTeam): Run =>
  async (invocation) => {
    if (!existsSync(loginPath(userFolders(invocation.env))) && !flag(invocation.values, "team"))
      return here(invocation);
    return (await teamVerbs()[there](invocation)) ?? here(invocation);
  };

/** A verb that is about teams alone. */
export const teamOnly =
  (name: "login" | "request" | "team" | "teamPackage"): Run =>
  (invocation) =>
    teamVerbs()[name](invocation);
