import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentTask } from "../../ports/agent-backend.ts";
import { tomlText } from "./toml-text.ts";

export type CodexStart = {
  /** The file with the schema of the result. */
  readonly schema: string;
  /** Id of the conversation to go on with; null to begin one. */
  readonly resume: string | null;
  /** True where a sandbox of ours is around it: one inside the other fails for root, and ours is the stricter one. */
  readonly sandboxed: boolean;
  /** The setting that turns off the person's servers of tools; null to leave them. */
  readonly servers: string | null;
};

/** Arguments for one execution. The prompt is no part of them: it goes in on stdin, which `-` stands for. */
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

/** What in a repository chooses programs is not read. */
export const distrustArguments = (cwd: string): string[] => setting("projects", distrusted(cwd));

const setting = (name: string, value: string): string[] => ["-c", `${name}=${value}`];

/** A rule that allows a command, of the person or the repository, would have it run outside the sandbox. */
const NO_WAY_AROUND = ["--ignore-rules", ...setting("approval_policy", '"never"')];

/** Both ask services of the vendor first, which costs seconds where these cannot be reached. */
const STARTS_FAST = [...setting("features.apps", "false"), ...setting("features.plugins", "false")];

/**
 * A folder that the person once trusted would start servers and set instructions from its `.codex`, without a
 * question and in front of every sandbox. Trust is looked up for the folder and those above it, by its real path.
 * The price: AGENTS.md of the repository is not loaded by itself either.
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
