import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { patchFiles } from "../../src/views/patch-files.ts";
import { changesText } from "../../src/views/changes-text.ts";
import { wordDiff } from "../../src/views/word-diff.ts";

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
    expect(text).toMatch(
      /^Changes since the run started: 1 file, \+1 -0\n\nCode \(1 file, 1 line, under a minute\): .*\n  a\.ts \+1 -0: 0 of 1 changed lines decide something\n\ndiff /,
    );
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

  const mixed = {
    "yarn.lock": "x\n",
    "src/a.ts": "if (a) b();\n",
    "src/a.test.ts": "test();\n",
    "README.md": "# A\n",
  };
  const parts = [{ title: null, patch: gitPatch({}, mixed) }];
  const rows = (text: string): string[] =>
    text.split("\n").filter((line) => /^(?:Code|Tests|Documents|Folded|diff|Not shown)/.test(line));

  test("prints group by group, and leaves out the content of folded files with a mark", () => {
    expect(rows(changesText({ base: "b", parts }))).toEqual([
      expect.stringMatching(/^Code \(1 file, 1 line, under a minute\): /),
      "diff --git a/src/a.ts b/src/a.ts",
      expect.stringMatching(/^Tests \(1 file/),
      "diff --git a/src/a.test.ts b/src/a.test.ts",
      expect.stringMatching(/^Documents \(1 file/),
      "diff --git a/README.md b/README.md",
      expect.stringMatching(/^Folded \(1 file\): /),
      "Not shown: 1 folded file. See: isdlc gate --diff --group folded",
    ]);
  });

  test("prints one group with folded content, only a list, or everything", () => {
    expect(rows(changesText({ base: "b", parts }, { group: "folded" })).slice(1)).toEqual([
      "diff --git a/yarn.lock b/yarn.lock",
    ]);
    const list = changesText({ base: "b", parts }, { isList: true });
    expect(list).not.toContain("diff --git");
    expect(list).toContain("src/a.ts +1 -0: 1 of 1 changed lines decides something");
    expect(changesText({ base: "b", parts }, { isComplete: true })).toContain("diff --git a/yarn.lock");
  });

  test("sorts by path on request", () => {
    const names = rows(changesText({ base: "b", parts }, { order: "name", isComplete: true }));
    expect(names.map((line) => line.split(" b/")[1])).toEqual(["README.md", "src/a.test.ts", "src/a.ts", "yarn.lock"]);
  });

  test("names the changed dependencies of a folded lock file", () => {
    const dependencies = new Map([["yarn.lock", ["left-pad 1.0.0 → 1.3.0"]]]);
    const facts = { declared: new Map([["src/a.ts", "linguist-generated in .gitattributes"]]), dependencies };
    const text = changesText({ base: "b", parts: [{ ...parts[0], title: null, patch: parts[0]?.patch ?? "", facts }] });
    expect(text).toContain("yarn.lock +1 -0: a lock file\n      left-pad 1.0.0 → 1.3.0");
    expect(text).toContain("src/a.ts +1 -0: linguist-generated in .gitattributes");
  });
});

describe("wordDiff", () => {
  test("marks changed words of edited lines, and leaves other lines", () => {
    const patch = gitPatch(
      { "a.ts": "const total = a + b;\nold\n" },
      { "a.ts": "const total = a + c;\nentirely new\n" },
    );
    const one = gitPatch({ "a.ts": "const total = a + b;\n" }, { "a.ts": "const total = a + c;\n" });
    expect(wordDiff(one)).toContain("\n const total = a + [-b-]{+c+};");
    expect(wordDiff(patch)).toBe(patch);
  });

  test("loses no character of either side", () => {
    const line = fc.array(fc.constantFrom("a", "b", " ", "(", "ab", "1"), { maxLength: 8 }).map((all) => all.join(""));
    let merged = 0;
    fc.assert(
      fc.property(line, line, fc.boolean(), (start, end, isFirst) => {
        const [old, now] = isFirst ? [`${start} = f(x, y)`, `${end} = f(x, y)`] : [start, end];
        const patch = `diff --git a/x b/x\n@@ -1 +1 @@\n-${old}\n+${now}\n`;
        const row = /^ (.*)$/m.exec(wordDiff(patch))?.[1];
        if (row === undefined) return;
        merged++;
        expect(row.replaceAll(/\{\+.*?\+\}/g, "").replaceAll(/\[-(.*?)-\]/g, "$1")).toBe(old);
        expect(row.replaceAll(/\[-.*?-\]/g, "").replaceAll(/\{\+(.*?)\+\}/g, "$1")).toBe(now);
      }),
    );
    expect(merged).toBeGreaterThan(10);
  });
});
