import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { SPEC_FILES, SPEC_PHASES, type SpecPhase } from "../../../../src/core/spec/spec-phases.ts";
import type { Json, Outcome, Sandbox, Turn } from "../../../support/cli.ts";

export const FOLDER = "001-login-page";
export const FEATURE = `docs/features/${FOLDER}`;
export const BRANCH = `feature/${FOLDER}`;

export type PreparedFeature = {
  readonly mode?: string;
  readonly folder?: string;
  readonly more?: Readonly<Record<string, unknown>>;
  /** Files in addition to the documents of the phases. */
  readonly files?: Readonly<Record<string, string>>;
};

const AT = "2026-01-01T00:00:00.000Z";

/** Creates a feature in the state after the named phase, committed on its branch, which is checked out. */
export function prepareFeature(sandbox: Sandbox, last: SpecPhase, prepared: PreparedFeature = {}): void {
  const { mode = "standard", folder = FOLDER, more = {}, files = {} } = prepared;
  const done = SPEC_PHASES.slice(0, SPEC_PHASES.indexOf(last) + 1);
  const state = { started: AT, completed: AT, verified: false, iterations: 1, reviewerNotes: [] };
  const meta = {
    id: folder.slice(0, 3),
    name: "Login page",
    mode,
    status: "active",
    created: AT,
    completed: null,
    worktree: null,
    currentPhase: last,
    phases: Object.fromEntries(done.map((phase) => [phase, state])),
    base: "main",
    ...more,
  };
  sandbox.git("switch", "--quiet", "--create", `feature/${folder}`, "main");
  sandbox.write(`docs/features/${folder}/.meta.json`, `${JSON.stringify(meta, null, 2)}\n`);
  for (const [phase, file] of SPEC_FILES)
    if (done.includes(phase)) sandbox.write(`docs/features/${folder}/${file}`, `# ${phase} of before\n`);
  for (const [path, text] of Object.entries(files)) sandbox.write(path, text);
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", `After ${last}`);
}

/** Runs a spec command from a script. */
export const spec = (sandbox: Sandbox, ...args: string[]): Promise<Outcome> =>
  sandbox.script(...args, ...sandbox.agent);

export const readMeta = (sandbox: Sandbox, feature = FEATURE): Json => sandbox.json(`${feature}/.meta.json`);

export const metaAt = (sandbox: Sandbox, commit: string): Json =>
  JSON.parse(sandbox.git("show", `${commit}:${FEATURE}/.meta.json`));

/** Started executions in order, like `design` or `design reviewer`. */
export const started = (sandbox: Sandbox): string[] => sandbox.log().map(({ key }) => key);

export const refuses = (description: string, location: string | null = null): Turn => ({
  verdict: { approved: false, summary: "not yet", issues: [{ severity: "blocker", description, location }] },
});

export const FAULTS = [
  "The session timeout has no number.",
  "Password hashing is not named anywhere.",
  "Nobody says which browsers count.",
  "Rate limiting lacks an acceptance criterion.",
  "The audit log has no retention period.",
  "Unicode usernames are neither allowed nor forbidden.",
];

/** Each revision fixes one of the blockers: it makes progress and is never approved. */
export const refusesEveryTime: readonly Turn[] = FAULTS.map((_fault, at) => {
  const issues = FAULTS.slice(at).map((description) => ({ severity: "blocker", description, location: null }));
  return { verdict: { approved: false, summary: "not yet", issues } };
});

const KILL_TIMEOUT_MS = 60_000; // milliseconds

/** Kills the program as soon as `isReached` returns true, and waits for its end. */
export async function killWhen(sandbox: Sandbox, args: readonly string[], isReached: () => boolean): Promise<void> {
  const { child, ended } = sandbox.start([...args, ...sandbox.agent]);
  const deadline = performance.now() + KILL_TIMEOUT_MS;
  while (!isReached()) {
    if (performance.now() > deadline || child.exitCode !== null) throw new Error("the moment never came");
    await delay(20);
  }
  child.kill("SIGKILL");
  await ended;
}

/** Refs of the engine in which a file contains this text. */
export const keptWith = (sandbox: Sandbox, path: string, text: string): string[] =>
  sandbox
    .git("for-each-ref", "--format=%(refname)", "refs/isdlc")
    .split("\n")
    .filter((ref) => textAt(sandbox, ref, path)?.includes(text) === true);

function textAt({ root, env }: Sandbox, ref: string, path: string): string | null {
  try {
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    return execFileSync("git", ["show", `${ref}:${path}`], { cwd: root, env, encoding: "utf8", stdio });
  } catch {
    return null;
  }
}

/** Path of a feature's worktree. */
export const worktreePath = (sandbox: Sandbox, folder = FOLDER): string => `${sandbox.root}-${folder}`;

export const isThere = (path: string): boolean => existsSync(path);
