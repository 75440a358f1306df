import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import type { FileChange } from "../../schema/facts.ts";
import { readingEnvironment } from "../../adapters/git/process/git-environment.ts";
import { decodePath, splitFields } from "../../adapters/git/process/git-path.ts";

/** For all questions of one summary together. */
const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const COMMIT = /^[0-9a-f]{7,64}$/;

type Ask = (args: readonly string[], settings?: readonly Setting[]) => Buffer;
type Setting = readonly [key: string, value: string];

/** What a repository could make git start while it compares files. */
const HARMLESS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.untrackedCache", "false"],
  ["safe.bareRepository", "explicit"],
];

const changeOf: ReadonlyMap<string, FileChange["change"]> = new Map([
  ["A", "added"],
  ["M", "modified"],
  ["D", "deleted"],
  ["R", "renamed"],
  ["T", "typechange"],
]);

/**
 * Files below the folder that differ from the commit (else from the one before the last), new ones included.
 * Nothing the repository configures is executed.
 * @throws when git is missing, refuses or takes too long.
 */
export function changedFiles(root: string, since: unknown): FileChange[] {
  const ask = asker(root);
  const filters = filterSettings(ask);
  const base = baseCommit(ask, since);
  const options = ["--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--relative"];
  const tracked = ask(["diff", "--name-status", "-z", ...options, base, "--"], filters);
  const untracked = ask(["ls-files", "--others", "--exclude-standard", "-z"], filters);
  const added = splitFields(untracked).map((name) => ({ path: decodePath(name), change: "added" as const }));
  return [...parseNameStatus(tracked), ...added].filter(({ path }) => !path.startsWith(".isdlc/"));
}

function asker(root: string): Ask {
  const deadline = performance.now() + TIMEOUT_MS;
  return (args, settings = []) =>
    execFileSync("git", ["--no-pager", "--no-optional-locks", ...args], {
      cwd: root,
      env: { ...readingEnvironment(), ...asEnvironment([...HARMLESS, ...settings]) },
      timeout: Math.max(1, Math.ceil(deadline - performance.now())),
      killSignal: "SIGKILL",
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
}

/** Settings by environment: a key may hold any character, which `-c` would misread. */
function asEnvironment(settings: readonly Setting[]): NodeJS.ProcessEnv {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) } as NodeJS.ProcessEnv;
}

/** Comparing the working tree runs content filters; each one that is configured is emptied by name. */
function filterSettings(ask: Ask): Setting[] {
  const names = splitFields(configured(ask)).map((name) => decodePath(name));
  const filters = new Set(names.map((name) => name.slice(0, name.lastIndexOf("."))));
  return [...filters].flatMap((filter): Setting[] => [
    [`${filter}.clean`, ""],
    [`${filter}.process`, ""],
    [`${filter}.required`, "false"],
  ]);
}

function configured(ask: Ask): Buffer {
  try {
    return ask(["config", "-z", "--name-only", "--get-regexp", "^filter\\."]);
  } catch (error) {
    const found = error as { status?: unknown };
    if (found.status === 1) return Buffer.alloc(0); // git's way of saying: none
    throw error;
  }
}

function baseCommit(ask: Ask, since: unknown): string {
  const wanted = typeof since === "string" && COMMIT.test(since) ? [since] : ["HEAD~1", "HEAD"];
  for (const name of wanted) {
    const commit = resolve(ask, name);
    if (commit !== null) return commit;
  }
  throw new Error(`there is no commit ${wanted.join(" or ")}`);
}

function resolve(ask: Ask, name: string): string | null {
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    return ask(args).toString("utf8").trim();
  } catch (error) {
    if (typeof (error as { status?: unknown }).status === "number") return null;
    throw error;
  }
}

function parseNameStatus(output: Buffer): FileChange[] {
  const fields = splitFields(output);
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [letter, name] = [fields[at], fields[at + 1]];
    if (letter === undefined || name === undefined) continue;
    changes.push({ path: decodePath(name), change: changeOf.get(letter.toString("latin1").charAt(0)) ?? "modified" });
  }
  return changes;
}
