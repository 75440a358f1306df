import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentTask } from "../../../ports/agent-backend.ts";
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { parseJson } from "./output.ts";
import { toJSONSchema } from "zod/mini";
import { AgentResult, Verdict } from "../../../schema/agent.ts";
import { startFoundProgram } from "../../process/find-program.ts";
import type { Environment, Sandbox } from "../../process/child-environment.ts";

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

export type SettingsListing = {
  /** Program and arguments, without the command. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly sandbox: Sandbox | undefined;
};

const LISTING_TIMEOUT_SECONDS = 20;
const Servers = z.array(z.object({ name: z.string() }));

/**
 * Returns the setting that disables all MCP servers of the user: they run outside the sandbox that Codex puts around
 * its own commands. Codex has no switch for all of them and is asked for their names. Null if it does not list them.
 */
export async function withoutServers(
  { command, ...place }: SettingsListing,
  signal: AbortSignal,
): Promise<string | null> {
  const lines: string[] = [];
  const end = await startFoundProgram(
    {
      ...place,
      argv: [...command, "mcp", "list", "--json"],
      nonce: randomUUID(),
      stdin: "",
      silenceSeconds: LISTING_TIMEOUT_SECONDS,
      onLine: ({ text }) => lines.push(text),
    },
    AbortSignal.any([signal, AbortSignal.timeout(LISTING_TIMEOUT_SECONDS * 1000)]),
  );
  const listed = z.safeParse(Servers, parseJson(lines.join("\n")));
  if (end.ended !== "exit" || end.exitCode !== 0 || !listed.success) return null;
  return `mcp_servers={${listed.data.map(({ name }) => `${tomlText(name)}={enabled=false}`).join(",")}}`;
}

/** JSON strings are valid in TOML, except for the control character U+007F, which JSON does not escape. */
const tomlText = (text: string): string => JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);

/**
 * Returns the schema in the strict form required by the model service: every field is required (optional ones may be
 * null), no others are allowed, and there are neither lengths nor defaults. The result is validated with our own
 * schema, which has them.
 */
export function resultSchema(role: AgentTask["role"]): object {
  return toJSONSchema(role === "phase" ? AgentResult : Verdict, {
    target: "draft-7",
    io: "output",
    override: ({ jsonSchema }) => {
      delete jsonSchema.maxLength;
      delete jsonSchema.default;
      if (jsonSchema.properties !== undefined) jsonSchema.required = Object.keys(jsonSchema.properties);
    },
  });
}
