import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { patchFiles } from "../../src/views/patch-files.ts";
import { changesText } from "../../src/views/visible-change.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Files = Readonly<Record<string, string>>;

/** Patch printed by git. */
function gitPatch(before: Files, after: Files): string {
  const root = mkdtempSync(join(tmpdir(), "isdlc-patch-"));
  folders.push(root);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], { cwd: root, encoding: "utf8" });
  const put = (files: Files): void => {
    for (const [path, contents] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), contents);
    }
  };
  git("init", "-q");
  put({ keep: "", ...before });
  git("add", "-A");
  git("commit", "-qm", "before");
  for (const path of Object.keys(before)) rmSync(join(root, path));
  put(after);
  git("add", "-A");
  return git("diff", "--cached", "-M", "--no-color", "HEAD");
}

const long = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join("");

describe("patchFiles", () => {
  test("returns names, kinds and sizes like git, even for unusual names", () => {
    const patch = gitPatch(
      { "src/gone.ts": "a\nb\n", "old name.ts": long, "src/same.ts": "-- x\n" },
      { "new name.ts": `${long}more\n`, "src/same.ts": "++ y\n", 'src/ü "q"\t.ts': "1\n2\n", "a b/notes.md": "# n\n" },
    );
    const files = patchFiles(patch).map(({ path, was, change, kind, added, removed }) => ({
      path,
      was,
      change,
      kind,
      added,
      removed,
    }));
    expect(files).toEqual([
      { path: "a b/notes.md", was: null, change: "added", kind: "document", added: 1, removed: 0 },
      { path: "new name.ts", was: "old name.ts", change: "renamed", kind: "code", added: 1, removed: 0 },
      { path: "src/gone.ts", was: null, change: "deleted", kind: "code", added: 0, removed: 2 },
      { path: "src/same.ts", was: null, change: "modified", kind: "code", added: 1, removed: 1 },
      { path: 'src/ü "q"\t.ts', was: null, change: "added", kind: "code", added: 2, removed: 0 },
    ]);
  });

  test("returns names of binary and empty files", () => {
    const patch = gitPatch({}, { "an image.png": "\u0000\u0001", "an empty file": "" });
    expect(patchFiles(patch)).toMatchObject([
      { path: "an empty file", change: "added", isBinary: false, added: 0 },
      { path: "an image.png", change: "added", isBinary: true, added: 0 },
    ]);
  });

  test("ignores headers inside a file, even after a carriage return", () => {
    const planted = "x\rdiff --git a/fake b/fake\ndiff --git a/fake b/fake\n@@ -1 +1 @@\n";
    expect(patchFiles(gitPatch({}, { "real.ts": planted })).map(({ path }) => path)).toEqual(["real.ts"]);
  });
});

describe("changesText", () => {
  const changed = {
    "BACKLOG.md": "- one\n",
    ".isdlc/state.json": "{}\n",
    "docs/requirements/REQ-1-x/meta.json": "{}\n",
    "docs/guide.md": "# Guide\n",
    "src/z.ts": "1\n2\n",
  };

  test("prints base and counts, code before documents, and internal files on one line", () => {
    const text = changesText({
      base: "against main (a1b2c3d)",
      parts: [{ title: null, patch: gitPatch({}, changed) }],
    });
    const told = text.split("\n").filter((line) => /^(?:Changes|diff|Bookkeeping)/.test(line));
    expect(told).toEqual([
      "Changes against main (a1b2c3d): 2 files, +3 -0",
      "diff --git a/src/z.ts b/src/z.ts",
      "diff --git a/docs/guide.md b/docs/guide.md",
      "Bookkeeping, not shown: .isdlc/state.json +1 -0, BACKLOG.md +1 -0, docs/requirements/REQ-1-x/meta.json +1 -0",
    ]);
  });

  test("counts one file in the singular and omits the title of an empty part", () => {
    const parts = [
      { title: null, patch: gitPatch({}, { "a.ts": "1\n" }) },
      { title: "Committed on the branch by someone else", patch: "" },
    ];
    const text = changesText({ base: "since the run started", parts });
    expect(text).toMatch(/^Changes since the run started: 1 file, \+1 -0\n\ndiff /);
    expect(text).not.toContain("someone else");
  });

  test("prints that nothing changed for an empty list", () => {
    expect(changesText({ base: "since the run started", parts: [] })).toBe(
      "Nothing has changed since the run started.",
    );
  });

  test("neutralizes escape codes and carriage returns", () => {
    const patch = gitPatch({}, { "a.ts": "x\r-y\u001b[2K\n" });
    expect(changesText({ base: "b", parts: [{ title: null, patch }] })).toContain("+x\u240d-y\u241b[2K");
  });
});
