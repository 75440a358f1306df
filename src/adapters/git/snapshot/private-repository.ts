import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import { unavailable } from "../process/run-git.ts";
import type { LookSettings } from "../read/content-filters.ts";
import { gitFolders } from "../process/working-trees.ts";
import type { Repository } from "../read/repository.ts";
import type { RunId } from "../../../schema/ids.ts";
import { hardenedGit } from "../process/git.ts";
import { refPart } from "../process/ref-name.ts";
import { readBounded } from "../../files/file-system.ts";

/** Environment of a git call that trusts only the objects of the repository. */
export type LookEnvironment = Readonly<Record<string, string>>;

/**
 * Creates a separate git folder for scans, with its own settings, attributes and index, and the objects of the
 * repository. The repository's configuration cannot hide a change from it.
 */
export function furnish(folder: string, repository: Repository, settings: LookSettings): LookEnvironment {
  const common = gitFolders(repository.top)?.common ?? repository.gitDir;
  mkdirSync(join(folder, "refs"), { recursive: true });
  mkdirSync(join(folder, "info"), { recursive: true });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(folder, "config"), privateConfig(settings, readText(join(common, "config"))));
  writeFileSync(join(folder, "info", "exclude"), readText(join(common, "info", "exclude")));
  writeFileSync(join(folder, "info", "attributes"), `${readText(join(common, "info", "attributes"))}\n${ATTRIBUTES}`);
  return {
    GIT_DIR: folder,
    GIT_WORK_TREE: repository.top,
    GIT_OBJECT_DIRECTORY: join(common, "objects"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

/** Returns the environment for comparisons of git trees: even attributes of the working tree do not count. */
export const withoutTree = (environment: LookEnvironment): LookEnvironment => ({
  ...environment,
  GIT_WORK_TREE: environment["GIT_DIR"] ?? "",
});

/** Placed after all other attributes, which could hide a change or its lines. */
const ATTRIBUTES = "* -ident !filter !diff !merge !working-tree-encoding\n";

const isWindows = process.platform === "win32";
const isMac = process.platform === "darwin";

function privateConfig(settings: LookSettings, real: string): string {
  const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(real);
  const core = {
    repositoryformatversion: isSha256 ? 1 : 0,
    bare: false,
    filemode: !isWindows,
    symlinks: !isWindows,
    ignorecase: isWindows || isMac,
    precomposeunicode: isMac,
  };
  return [
    "[core]",
    ...Object.entries(core).map(([name, value]) => `\t${name} = ${value}`),
    ...Object.entries(settings).map(([name, value]) => `\t${name.replace(/^core\./, "")} = ${quoted(value)}`),
    ...(isSha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    "",
  ].join("\n");
}

const quoted = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;

const MAX_RULES_BYTES = 16 * 1024 * 1024;

/** @throws ProblemError GIT_UNAVAILABLE for a pipe, which would never end, or a file that is too large. */
function readText(file: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_RULES_BYTES) throw unavailable(`${file} is not a plain file, or too large`);
    return readBounded(file, MAX_RULES_BYTES).toString("utf8");
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    return ""; // no such file
  }
}

/** Deletes the snapshots of a run, except those to keep. If git refuses, they stay. */
export async function forgetSnapshots(
  repository: Repository,
  run: RunId,
  isKept: (name: string) => boolean,
): Promise<void> {
  const git = hardenedGit(repository.top, repository.env);
  const folder = `refs/isdlc/${refPart(run)}/`;
  const listed = await git(["for-each-ref", "--format=%(refname)", folder]);
  const refs = listed.stdout
    .toString("utf8")
    .split("\n")
    .filter((ref) => ref.startsWith(folder) && !isKept(ref.slice(folder.length)));
  if (refs.length === 0) return;
  await git(["update-ref", "--stdin"], { input: Buffer.from(refs.map((ref) => `delete ${ref}\n`).join("")) });
}
