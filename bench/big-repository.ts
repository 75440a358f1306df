import { execFileSync } from "node:child_process";
import { emptyRepository, type BenchRepository, sourcePath } from "./git-place.ts";

type FileText = { readonly path: string; readonly text: string };

/** Time of the first commit in seconds. The others follow at intervals of a minute. */
const FIRST_COMMIT_AT = 1_700_000_000;
const FILES_OF_LONG_HISTORY = 500;

/** Creates this number of commits on one branch. Each changes one of 500 files. Checks nothing out. */
export function longHistory(scratch: string, name: string, commits: number): BenchRepository {
  const repository = emptyRepository(scratch, name);
  const first = Array.from({ length: FILES_OF_LONG_HISTORY }, (_, number) => fileAt(number, 0));
  const later = Array.from({ length: commits - 1 }, (_, index) => [
    fileAt((index * 7) % FILES_OF_LONG_HISTORY, index + 1),
  ]);
  importCommits(repository, [first, ...later]);
  return repository;
}

/** Creates and checks out this number of files, with a second commit that changes some of them. */
export function manyFiles(scratch: string, name: string, { files, changed }: { files: number; changed: number }) {
  const repository = emptyRepository(scratch, name);
  const first = Array.from({ length: files }, (_, number) => fileAt(number, 0));
  const second = Array.from({ length: changed }, (_, number) => fileAt(number * 3, 1));
  importCommits(repository, [first, second]);
  repository.git("reset", "--quiet", "--hard");
  return repository;
}

const fileAt = (number: number, version: number): FileText => ({
  path: sourcePath(number),
  text: `export const value = ${number};\nexport const version = ${version};\n`,
});

/** Imports all commits in one call: 100,000 calls of `git commit` would take most of an hour. */
function importCommits({ tree, env }: BenchRepository, commits: readonly (readonly FileText[])[]): void {
  const input = commits.map((files, index) => commitText(files, FIRST_COMMIT_AT + index * 60)).join("");
  execFileSync("git", ["fast-import", "--quiet"], { cwd: tree, env, input, stdio: ["pipe", "ignore", "pipe"] });
}

function commitText(files: readonly FileText[], seconds: number): string {
  const head = `commit refs/heads/main\ncommitter Bench <bench@example.org> ${seconds} +0000\ndata 6\nChange\n`;
  return head + files.map(({ path, text }) => `M 100644 inline ${path}\ndata ${text.length}\n${text}`).join("");
}
