import { resolve, join } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { FileChange } from "../../schema/facts.ts";
import { isPhaseKey } from "../../schema/ids.ts";
import { ensureFolder, nodeFiles, replaceFile } from "../../adapters/files/file-system.ts";
import { OWN, OWN_FOLDER, isOwnPath } from "../../core/own-folder.ts";
import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { emptied, type Filterless } from "../../adapters/git/read/content-filters.ts";
import { hardening } from "../../adapters/git/process/git.ts";
import { readingEnvironment } from "../../adapters/git/process/git-environment.ts";
import { hasOnlyTracked } from "../../adapters/git/read/has-only-tracked.ts";
import { readRepositorySettings } from "../../adapters/git/read/repository-settings.ts";
import { decodePath, splitFields } from "../../adapters/git/process/git-path.ts";
import { parseNameStatus } from "../../adapters/git/process/name-status.ts";

export type RenderSummary = (input: {
  readonly state: unknown;
  readonly phase: string;
  readonly changed: readonly FileChange[] | null;
  readonly minimal: boolean;
}) => { readonly name: string; readonly text: string };

/** Returns the absolute path of the summary, or null with a warning on stderr; never throws. */
// oxlint-disable-next-line max-params -- the published signature
export type GeneratePhaseSummary = (
  state: unknown,
  phaseKey: unknown,
  projectRoot: unknown,
  options?: { readonly minimal?: boolean },
) => string | null;

/** Writes summaries of phases to `.isdlc/reviews`, based on the contents of `state.json` and on git. */
export function createPhaseSummaryGenerator(render: RenderSummary): GeneratePhaseSummary {
  return (...[state, phaseKey, projectRoot, options]) => {
    try {
      if (!isPhaseKey(phaseKey)) return refuse("the phase has no valid name");
      if (typeof projectRoot !== "string" || projectRoot === "") return refuse("the project root is not a path");
      const root = resolve(projectRoot);
      const record = ownValue(ownValue(state, "phases"), phaseKey);
      if (!isRecord(record)) warn(`nothing is known about ${phaseKey}`);
      const changed = askGit(root, ownValue(record, "start_commit"));
      const minimal = ownValue(options, "minimal") === true;
      const { name, text } = render({ state, phase: phaseKey, changed, minimal });
      return writeSummary(root, name, text);
    } catch (error) {
      return refuse(errorMessage(error));
    }
  };
}

function askGit(root: string, since: unknown): FileChange[] | null {
  try {
    return changedFiles(root, since);
  } catch (error) {
    warn(`git could not list the changes: ${errorMessage(error)}`);
    return null;
  }
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function refuse(reason: string): null {
  warn(`no summary was written: ${reason}`);
  return null;
}

function warn(text: string): void {
  process.stderr.write(`[supervised-mode] ${text.replaceAll(/\p{Cc}+/gu, " ").trim()}\n`);
}

/**
 * Writes the complete file or nothing, and returns its path. Symbolic links between the root and the file are
 * rejected.
 * @throws if a folder or the file cannot be written.
 */
function writeSummary(root: string, name: string, text: string): string {
  const folder = join(root, OWN_FOLDER, OWN.reviews);
  ensureFolder(nodeFiles, join(root, OWN_FOLDER));
  ensureFolder(nodeFiles, folder);
  const file = join(folder, name);
  const found = nodeFiles.lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is not a plain file`);
  replaceFile(nodeFiles, file, Buffer.from(text));
  return file;
}

/** Time limit of all git calls for one summary. */
const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Exit code of git for an unknown name. */
const UNKNOWN_COMMIT = 128;
const COMMIT = /^[0-9a-f]{7,64}$/;

type Ask = (args: readonly string[], environment?: Filterless) => Buffer;

/**
 * Returns files in the folder, including new ones, that differ from the commit. If `since` is not a commit id,
 * compares with `HEAD~1`, or with `HEAD` in a repository with one commit. Runs no command configured by the
 * repository.
 * @throws if git is missing, fails or takes too long.
 */
function changedFiles(root: string, since: unknown): FileChange[] {
  const ask = asker(root);
  const settings = readRepositorySettings(root, process.env, ask);
  const filterless = emptied(settings.map(({ key }) => key)); // a comparison with the working tree would run the filters
  const tracked = differences(since, (commit) => ask([...COMPARE, `${commit}^{commit}`, "--"], filterless));
  const untracked = hasOnlyTracked(root) ? NOTHING : ask(LIST_OTHERS, filterless);
  const added = splitFields(untracked).map((name) => ({ path: decodePath(name), change: "added" as const }));
  return [...parseNameStatus(tracked), ...added].filter(({ path }) => !isOwnPath(path));
}

function asker(root: string): Ask {
  const deadline = performance.now() + TIMEOUT_MS;
  return (args, environment) =>
    execFileSync("git", [...hardening, ...args], {
      cwd: root,
      env: { ...readingEnvironment(root, process.env), ...environment },
      timeout: Math.max(1, Math.ceil(deadline - performance.now())),
      killSignal: "SIGKILL",
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
}

const NOTHING = Buffer.alloc(0);
const LIST_OTHERS = ["ls-files", "--others", "--exclude-standard", "-z"];

const COMPARE =
  "diff --name-status -z --relative --no-renames --no-ext-diff --no-textconv --ignore-submodules=dirty".split(" ");

/** Returns the differences from the first commit that exists. The comparison itself detects a missing commit. */
function differences(since: unknown, compare: (commit: string) => Buffer): Buffer {
  const wanted = typeof since === "string" && COMMIT.test(since) ? [since] : ["HEAD~1", "HEAD"];
  for (const commit of wanted) {
    try {
      return compare(commit);
    } catch (error) {
      if ((error as { status?: unknown }).status !== UNKNOWN_COMMIT) throw error;
    }
  }
  throw new Error(`there is no commit ${wanted.join(" or ")}`);
}
