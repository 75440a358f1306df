import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentTask } from "../../ports/agent-backend.ts";
import { tomlText } from "./toml-text.ts";

export type CodexStart = {
  /** File with the schema of the result. */
  readonly schema: string;
  /** Id of the conversation to resume. Null to start one. */
  readonly resume: string | null;
  /** True inside our own sandbox, which is stricter than that of Codex. Nested sandboxes fail for root. */
  readonly sandboxed: boolean;
  /** Setting that disables the user's MCP servers. Null to keep them. */
  readonly servers: string | null;
};

/** Returns the arguments for one execution. `-` reads the prompt from stdin. */
export function codexArguments(task: AgentTask, { schema, resume, sandboxed, servers }: CodexStart): string[] {
  return [
    "exec",
    "--json",
    "--skip-git-repo-check",
    "--sandbox",
    sandboxed ? "danger-full-access" : task.access === "read" ? "read-only" : "workspace-write",
    ...NO_WAY_AROUND,
    ...distrustArguments(task.cwd),
    ...(servers === null ? [] : ["-c", servers]),
    ...STARTS_FAST,
    ...(task.persona === "" ? [] : setting("developer_instructions", tomlText(task.persona))),
    "--output-schema",
    schema,
    ...(resume === null ? [] : ["resume", resume]),
    "-",
  ];
}

/** Returns the arguments that make Codex ignore configuration of the repository, which can choose programs. */
export const distrustArguments = (cwd: string): string[] => setting("projects", distrusted(cwd));

const setting = (name: string, value: string): string[] => ["-c", `${name}=${value}`];

/** A rule of the user or the repository that allows a command would run it outside the sandbox. */
const NO_WAY_AROUND = ["--ignore-rules", ...setting("approval_policy", '"never"')];

/** Both features ask services of the vendor first, which takes seconds if these are unreachable. */
const STARTS_FAST = [...setting("features.apps", "false"), ...setting("features.plugins", "false")];

/**
 * A folder once trusted by the user would start servers and set instructions from its `.codex`, without a question and
 * before any sandbox. Codex looks up trust for the folder and its parents, by real path. As a side effect, AGENTS.md
 * of the repository is not loaded automatically.
 */
function distrusted(cwd: string): string {
  const real = existsSync(cwd) ? realpathSync(cwd) : cwd;
  const folders = new Set([...upwards(cwd), ...upwards(real)]);
  return `{${[...folders].map((folder) => `${tomlText(folder)}={trust_level="untrusted"}`).join(",")}}`;
}

function upwards(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
