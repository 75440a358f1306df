import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { answerQuestions } from "../../src/adapters/attestation/answer-questions.ts";
import { historyGit } from "../../src/adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../src/adapters/attestation/isolated-git.ts";
import { askMerge } from "../../src/core/attestation/question.ts";
import { createStudio, type Studio } from "./studio.ts";

type Entry = readonly [mode: string, name: string, id: string];

/** A repository in which two commits mark the same item of the backlog in another way. */
function createConflict() {
  const studio = createStudio();
  const blob = (input: string): string => write(studio, "blob", Buffer.from(input));
  const plain = blob("plain\n");
  const commit = (backlog: string, ...parents: string[]): string => {
    const tree = studio.tree({ "BACKLOG.md": blob(backlog), "a.txt": plain });
    return studio.git("commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", "Work");
  };
  const start = commit("- [ ] One\n- [ ] Two\n");
  const first = commit("- [~] One\n- [ ] Two\n", start);
  const second = commit("- [x] One\n- [ ] Two\n", start);
  return { studio, blob, plain, first, second };
}

const write = ({ root }: Studio, type: string, input: Buffer): string =>
  execFileSync("git", ["hash-object", "-w", "--literally", "-t", type, "--stdin"], { cwd: root, input })
    .toString("latin1")
    .trim();

/** A tree as its entries are, which git itself would not write. */
const writeTree = (studio: Studio, entries: readonly Entry[]): string =>
  write(
    studio,
    "tree",
    Buffer.concat(
      entries.map(([mode, name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")])),
    ),
  );

describe("conflict only in BACKLOG.md", () => {
  const RESOLVED = "- [x] One\n- [ ] Two\n";

  test.for<[string, (one: ReturnType<typeof createConflict>) => readonly Entry[], boolean]>([
    [
      "accepts lines of both sides",
      ({ blob, plain }) => [
        ["100644", "BACKLOG.md", blob(RESOLVED)],
        ["100644", "a.txt", plain],
      ],
      true,
    ],
    [
      "rejects an additional line",
      ({ blob, plain }) => [
        ["100644", "BACKLOG.md", blob(`${RESOLVED}- [ ] Three\n`)],
        ["100644", "a.txt", plain],
      ],
      false,
    ],
    [
      "rejects the markers of the conflict",
      ({ blob, plain }) => [
        ["100644", "BACKLOG.md", blob("<<<<<<<\n- [~] One\n=======\n- [x] One\n>>>>>>>\n- [ ] Two\n")],
        ["100644", "a.txt", plain],
      ],
      false,
    ],
    [
      "rejects another file",
      ({ blob, plain }) => [
        ["100644", "BACKLOG.md", blob(RESOLVED)],
        ["100644", "a.txt", plain],
        ["100644", "evil.txt", plain],
      ],
      false,
    ],
    [
      "rejects a program",
      ({ blob, plain }) => [
        ["100755", "BACKLOG.md", blob(RESOLVED)],
        ["100644", "a.txt", plain],
      ],
      false,
    ],
    [
      "rejects a duplicate file",
      ({ blob, plain }) => [
        ["100644", "BACKLOG.md", blob(RESOLVED)],
        ["100644", "a.txt", blob("evil\n")],
        ["100644", "a.txt", plain],
      ],
      false,
    ],
    [
      "rejects a duplicate backlog",
      ({ blob, plain }) => [
        ["120000", "BACKLOG.md", blob("/etc/passwd")],
        ["100644", "BACKLOG.md", blob(RESOLVED)],
        ["100644", "a.txt", plain],
      ],
      false,
    ],
  ])("%s", async ([, entries, isAccepted]) => {
    const conflict = createConflict();
    const { studio, first, second } = conflict;
    const tree = writeTree(studio, entries(conflict));
    const git = await historyGit(studio.root, process.env);
    const answer = await withIsolatedGit(git, (isolated) => answerQuestions(isolated, askMerge(first, second, tree)));
    expect(answer).toEqual(isAccepted ? { is: "tree", tree } : { is: "conflict" });
  });
});
