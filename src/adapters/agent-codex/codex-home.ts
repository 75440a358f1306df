import { join } from "node:path";
import type { Environment } from "../process/agent-environment.ts";

/** Returns the folder of Codex's own files. Relative paths are ignored: they would lead into the repository. */
export function codexHome(env: Environment, home: string): string {
  const set = env["CODEX_HOME"] ?? "";
  return set.startsWith("/") ? set : join(home, ".codex");
}
