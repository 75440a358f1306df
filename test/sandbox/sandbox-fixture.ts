import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { startAgentProcess } from "../../src/adapters/process/start-agent-process.ts";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { type SandboxOptions, createSandbox } from "../../src/adapters/sandbox/create-sandbox.ts";
import { sandboxAvailable } from "../../src/adapters/sandbox/sandbox-available.ts";
import { removeTemporary } from "../support/remove-temporary.ts";
import type { Sandbox } from "../../src/adapters/process/child-environment.ts";

const available = sandboxAvailable(process.env);

/** Reason why these tests do not run here, with the command that fixes it; null if they run. CI skips none of them. */
export const missing: string | null =
  available.ok || process.env["CI"] === "true" ? null : `${available.why}: ${available.fix}`;

/** Suffix for suites that need the sandbox, with the reason if they are skipped. */
export const suffix: string = missing === null ? "" : ` (skipped: ${missing})`;

/** A user's machine: home folder, folders of isdlc, and a repository with a run. */
export type SandboxFixture = {
  readonly base: string;
  readonly home: string;
  readonly tree: string;
  readonly config: string;
  readonly state: string;
  readonly put: (path: string, contents?: string) => void;
  readonly git: (...args: string[]) => string;
};

export type Ran = { readonly stdout: string; readonly stderr: string; readonly exitCode: number | null };

const made: string[] = [];
afterAll(() => {
  for (const base of made) removeTemporary(base);
});

/** Outside of /tmp, which is hidden completely: here each part of the sandbox is tested separately. */
const OUTSIDE = join(import.meta.dirname, "../../node_modules/.cache");

export type Layout = { readonly within?: string; readonly tree?: string };

export function createPlace({ within = OUTSIDE, tree: name = "tree" }: Layout = {}): SandboxFixture {
  mkdirSync(within, { recursive: true });
  const base = realpathSync(mkdtempSync(join(within, "isdlc-sandbox-")));
  made.push(base);
  const [home, tree] = [join(base, "home"), join(base, name)];
  const [config, state] = [join(base, "config/isdlc"), join(base, "state/isdlc")];
  const put = (path: string, contents = "the person's\n"): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), contents);
  };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: tree, env: gitEnvironment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  put("home/.ssh/id_ed25519");
  put("home/.gitconfig", "[user]\n\tname = Person\n\temail = person@example.org\n");
  put("home/.claude/settings.json", "{}\n");
  put("home/.claude.json", "{}\n");
  put("config/isdlc/operator-token.json");
  put("state/isdlc/key");
  put(`${name}/src/app.mjs`);
  put(`${name}/.isdlc/state.json`);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "src");
  git("commit", "--quiet", "--message", "First");
  return { base, home, tree, config, state, put, git };
}

const gitEnvironment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Person"],
      [`GIT_${who}_EMAIL`, "person@example.org"],
    ]),
  ),
};

export function sandboxOptions(place: SandboxFixture, more: Partial<SandboxOptions> = {}): SandboxOptions {
  if (!available.ok) throw new Error(`${available.why}: ${available.fix}`);
  return {
    root: place.tree,
    gitDirs: [join(place.tree, ".git")],
    documents: ".isdlc/work/1",
    home: place.home,
    secret: [place.config, place.state],
    needs: agentNeeds("claude", {}, place.home),
    extra: { read: [], write: [] },
    command: ["sh"],
    path: process.env["PATH"] ?? "",
    bwrap: available.bwrap,
    ...more,
  };
}

export function createTestSandbox(place: SandboxFixture, more: Partial<SandboxOptions> = {}): Sandbox {
  const made = createSandbox(sandboxOptions(place, more));
  if (!made.ok) throw new Error(made.why);
  return made.sandbox;
}

export type AgentStart = {
  readonly sandbox?: Sandbox | undefined;
  readonly access?: "read" | "write";
  readonly cwd?: string;
  readonly nonce?: string;
};

/** Runs a shell script as agent, with the paths of the fixture in its variables. */
export async function play(place: SandboxFixture, script: string, started: AgentStart = {}): Promise<Ran> {
  const lines: string[] = [];
  const { sandbox, access = "write", cwd = place.tree, nonce = randomUUID() } = started;
  const end = await startAgentProcess(
    {
      argv: ["/bin/sh", "-c", script],
      cwd,
      access,
      sandbox,
      nonce,
      env: {
        PATH: process.env["PATH"],
        HOME: place.home,
        TREE: place.tree,
        BASE: place.base,
        XDG_CONFIG_HOME: dirname(place.config),
        XDG_STATE_HOME: dirname(place.state),
        OUTSIDE_PID: String(process.pid),
        ISDLC_OPERATOR_TOKEN: "a token",
      },
      stdin: "",
      silenceSeconds: 30,
      onLine: ({ text }) => lines.push(text),
    },
    new AbortController().signal,
  );
  return { stdout: lines.join("\n"), stderr: end.stderrTail, exitCode: end.exitCode };
}
