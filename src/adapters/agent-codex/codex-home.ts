import { join } from "node:path";
import type { Environment } from "../process/agent-environment.ts";

/** Where Codex keeps what is its own. A relative path would lie in the repository and does not count. */
export function codexHome(env: Environment, home: string): string {
  const set = env["CODEX_HOME"] ?? "";
  return set.startsWith("/") ? set : join(home, ".codex");
}
