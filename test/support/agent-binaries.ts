import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SUPPORTED_VERSIONS } from "../../src/adapters/agents/supported-versions.ts";

const run = promisify(execFile);

/** Shared by all checkouts of this user: the binaries are large and do not change. */
export const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "isdlc-test-agents");

export type AgentPackage = {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Its program under `node_modules/.bin`. */
  readonly bin: string;
  /** True if the program has no `--version`. */
  readonly silent?: true;
};

export type AgentBinary =
  | { readonly ok: true; readonly program: string }
  | { readonly ok: false; readonly why: string; readonly command: string };

/** True for the suite that tries the newest versions of the registry. Products without a newer version are skipped. */
const isNewest = process.env["ISDLC_AGENT_VERSIONS"] === "newest";

/** Returns the version to install: the newest tested one, or in that suite the newest of the registry. */
async function chooseVersion(product: keyof typeof SUPPORTED_VERSIONS, name: string): Promise<string> {
  const tested = SUPPORTED_VERSIONS[product].newest;
  return isNewest ? (await run("npm", ["view", name, "version"])).stdout.trim() : tested;
}

const { claude } = SUPPORTED_VERSIONS;
const newestClaude = await chooseVersion("claude", "@anthropic-ai/claude-code");

/** The suites run the oldest and the newest tested version. */
export const CLAUDE_VERSIONS: readonly string[] = isNewest ? [newestClaude] : [claude.oldest, newestClaude];

const isTested = ({ name, version }: AgentPackage): boolean =>
  Object.entries(SUPPORTED_VERSIONS).some(([product, { newest }]) => product === name && newest === version);

export const claudePackage = (version: string): AgentPackage => ({
  name: "claude",
  package: "@anthropic-ai/claude-code",
  version,
  bin: "claude",
});

export const codexPackage: AgentPackage = {
  name: "codex",
  package: "@openai/codex",
  version: await chooseVersion("codex", "@openai/codex"),
  bin: "codex",
};

export const geminiPackage: AgentPackage = {
  name: "gemini",
  package: "@google/gemini-cli",
  version: await chooseVersion("gemini", "@google/gemini-cli"),
  bin: "gemini",
};

export const opencodePackage: AgentPackage = {
  name: "opencode",
  package: "opencode-ai",
  version: await chooseVersion("opencode", "opencode-ai"),
  bin: "opencode",
};

/** The last version that runs on Node 20. */
export const conformancePackage: AgentPackage = {
  name: "mcp-conformance",
  package: "@modelcontextprotocol/conformance",
  version: "0.1.13",
  bin: "conformance",
};

/** The last version that runs on Node 20. */
export const inspectorPackage: AgentPackage = {
  name: "mcp-inspector",
  package: "@modelcontextprotocol/inspector",
  version: "1.0.3",
  bin: "mcp-inspector",
  silent: true,
};

/**
 * Returns the program of a pinned agent, installed on first use. On a developer's machine, a failed installation is
 * reported, and the tests are skipped visibly.
 * @throws if it fails in CI, which may skip nothing.
 */
export async function agentBinary(agent: AgentPackage): Promise<AgentBinary> {
  const folder = join(CACHE, `${agent.name}-${agent.version}`);
  const program = join(folder, "node_modules", ".bin", agent.bin);
  if (isNewest && isTested(agent)) return { ok: false, why: "the registry has no newer version", command: "" };
  if (existsSync(program)) return { ok: true, program };
  try {
    await install(agent, folder);
    return { ok: true, program };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const command = ["npm", ...installArguments(agent, folder)].join(" ");
    if (process.env["CI"])
      throw new Error(`${agent.package}@${agent.version} could not be installed`, { cause: error });
    console.warn(
      `SKIPPED: tests with ${agent.name} ${agent.version}, which is missing. To install it: ${command}\n${why}`,
    );
    return { ok: false, why, command };
  }
}

/**
 * Installs into a temporary folder and renames it: the final folder is always complete. Of two concurrent
 * installations, the first stays.
 */
async function install(agent: AgentPackage, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const staging = await mkdtemp(join(CACHE, "installing-"));
  try {
    await run("npm", installArguments(agent, staging), { cwd: staging });
    await checkVersion(agent, join(staging, "node_modules", ".bin", agent.bin));
    await rename(staging, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function checkVersion({ version, silent }: AgentPackage, program: string): Promise<void> {
  if (silent) return;
  const { stdout } = await run(program, ["--version"]);
  if (!stdout.includes(version)) throw new Error(`it says that it is version ${stdout.trim()}`);
}

/** `--force`: packages with a native program require newer Node versions than they need. */
function installArguments(agent: AgentPackage, folder: string): string[] {
  const patient = ["--fetch-timeout=60000", "--fetch-retries=5"]; // restarts a stalled download
  const quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
  return ["install", "--prefix", folder, ...quiet, ...patient, "--force", `${agent.package}@${agent.version}`];
}
