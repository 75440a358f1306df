import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import type { FileChange } from "../../src/schema/facts.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const began = () => Date.now() - 1000;

let before: string;
let since: number;

beforeEach(async () => {
  fixture.write("a", "one\n");
  fixture.write("folder/b", "one\n");
  fixture.write("id", "$Id$\n");
  fixture.commitAll("one");
  since = began();
  before = (await createGitWorkspace(fixture.repo, { run: "run", env: process.env }).snapshot("before", [])) ?? "";
});

/** Scans in a second workspace of the same run, which has no cached state. */
async function toldLater(): Promise<readonly string[]> {
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env, trust: { since, tree: before } });
  const changes = await workspace.diff(before, await workspace.now([]));
  return (changes ?? []).map(({ path }) => path);
}

async function patchLater(): Promise<string> {
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env, trust: { since, tree: before } });
  return workspace.patch(before, await workspace.now([]));
}

/** The index entry keeps the times of the new file and gets the id of the old content. */
function haveIndexSayOldContent(): void {
  const old = fixture.git("rev-parse", "HEAD:a");
  fixture.git("update-index", "a");
  const real = fixture.git("hash-object", "a");
  const index = at(".git/index");
  const bytes = readFileSync(index);
  Buffer.from(old, "hex").copy(bytes, bytes.indexOf(Buffer.from(real, "hex")));
  const content = bytes.subarray(0, -20);
  writeFileSync(index, Buffer.concat([content, createHash("sha1").update(content).digest()]));
}

const tricks: readonly (readonly [what: string, play: () => void, told: readonly string[]])[] = [
  [
    "an index entry with the old content",
    () => {
      fixture.write("a", "two\n");
      haveIndexSayOldContent();
    },
    ["a"],
  ],
  [
    "an index entry with the old content and a file with an old time",
    () => {
      fixture.write("a", "two\n");
      utimesSync(at("a"), 1, 1);
      haveIndexSayOldContent();
    },
    ["a"],
  ],
  [
    "git replace of the snapshot",
    () => {
      fixture.write("a", "two\n");
      fixture.git("add", "a");
      const fake = fixture.git("commit-tree", "-m", "x", fixture.git("write-tree"));
      fixture.git("replace", before, fake);
    },
    ["a"],
  ],
  [
    "git replace of a blob",
    () => {
      fixture.write("a", "two\n");
      const [old, now] = [fixture.git("rev-parse", "HEAD:a"), fixture.git("hash-object", "-w", "a")];
      fixture.git("replace", now, old);
    },
    ["a"],
  ],
  [
    "core.fileMode off",
    () => {
      chmodSync(at("a"), 0o755);
      fixture.git("config", "core.fileMode", "false");
    },
    ["a"],
  ],
  [
    "core.ignoreCase on",
    () => {
      fixture.git("config", "core.ignoreCase", "true");
      fixture.write("A", "planted\n");
    },
    ["A"],
  ],
  [
    "rm --cached and info/exclude",
    () => {
      fixture.git("rm", "--quiet", "--cached", "a");
      appendFileSync(at(".git/info/exclude"), "a\n");
      fixture.write("a", "two\n");
    },
    ["a"],
  ],
  [
    "ident in .gitattributes",
    () => {
      fixture.write(".gitattributes", "* ident\n");
      fixture.write("id", "$Id: planted $\n");
    },
    [".gitattributes", "id"],
  ],
  [
    "a configured filter in .gitattributes",
    () => {
      fixture.write(".gitattributes", "* filter=old\n");
      fixture.git("config", "filter.old.clean", "echo one");
      fixture.write("a", "two\n");
    },
    [".gitattributes", "a"],
  ],
  [
    "--assume-unchanged and --skip-worktree",
    () => {
      fixture.git("update-index", "--assume-unchanged", "a");
      fixture.git("update-index", "--skip-worktree", "folder/b");
      fixture.write("a", "two\n");
      fixture.write("folder/b", "two\n");
    },
    ["a", "folder/b"],
  ],
];

describe("changes reported by a later scan", () => {
  test.each(tricks)("include the file despite %s", async (_, play, told) => {
    play();
    expect(await toldLater()).toEqual(told);
  });

  test.each([
    ["core.worktree elsewhere", () => fixture.git("config", "core.worktree", fixture.base)],
    ["a broken HEAD", () => writeFileSync(at(".git/HEAD"), "nowhere\n")],
    ["a missing git folder", () => renameSync(at(".git"), at("git"))],
  ])("fail with a problem for %s", async (_, play) => {
    play();
    await expect(toldLater()).rejects.toMatchObject({ problem: { code: "GIT_UNAVAILABLE" } });
  });

  test("include a rewritten file with old times", async () => {
    const { atime, mtime } = statSync(at("a"));
    fixture.write("new", "two\n");
    renameSync(at("new"), at("a"));
    utimesSync(at("a"), atime, mtime);
    expect(await toldLater()).toEqual(["a"]);
  });
});

describe("patch of a change", () => {
  test.each([
    ["-diff in .gitattributes", () => fixture.write(".gitattributes", "* -diff\n")],
    ["binary in info/attributes", () => writeFileSync(at(".git/info/attributes"), "* binary\n")],
    ["core.bigFileThreshold", () => fixture.git("config", "core.bigFileThreshold", "1")],
    [
      "a replaced blob",
      () => fixture.git("replace", fixture.git("hash-object", "-w", "a"), fixture.git("rev-parse", "HEAD:a")),
    ],
  ])("shows the change despite %s", async (_, play) => {
    fixture.write("a", "two\n");
    play();
    expect(await patchLater()).toContain("+two");
  });

  test("shows text with a NUL byte, but no binary content", async () => {
    fixture.write("a", "one\nplanted();\0\n");
    const patch = await patchLater();
    expect(patch).toContain("+planted();");
    fixture.write("a", Buffer.from(Array.from({ length: 4000 }, (_, index) => index % 7)));
    expect(await patchLater()).toContain("not shown: binary content");
  });

  test("marks where a long patch is cut", async () => {
    fixture.write("large", "0123456789abcdef\n".repeat(5_000_000));
    const patch = await patchLater();
    expect(patch.slice(-400)).toContain("The rest is not shown");
    rmSync(at("large"));
  }, 120_000);
});

describe("hidden files", () => {
  const hidden = () =>
    createGitWorkspace(fixture.repo, { run: "run", env: process.env, trust: { since, tree: before } }).hidden();

  test("include nested repositories, ignored files with their rule, and marked files", async () => {
    expect(await hidden()).toEqual([]);
    fixture.git("init", "--quiet", "lib");
    fixture.write("lib/x", "1\n");
    fixture.write("folder/.git/x", "1\n");
    fixture.write("deep/er/.gitignore", "*\n");
    fixture.write("deep/er/x", "1\n");
    fixture.write("deep/er/ünder/y", "1\n");
    fixture.git("update-index", "--skip-worktree", "a");
    expect(await hidden()).toEqual([
      expect.stringMatching(/^(?:lib|folder)\/ contains a \.git folder/),
      expect.stringMatching(/^(?:lib|folder)\/ contains a \.git folder/),
      expect.stringMatching(/^The ignore rule \* in deep\/er\/\.gitignore hides .*deep\/er\/x.*deep\/er\/ünder\//),
      "Marked so that git does not look at them: a",
    ]);
  });

  test("include a tool's cache as a whole, in a line that stays the same", async () => {
    fixture.write(".pytest_cache/.gitignore", "# Created by pytest automatically.\n*\n");
    fixture.write(".pytest_cache/v/cache/nodeids", "[]\n");
    const line = "The ignore rule * in .pytest_cache/.gitignore hides .pytest_cache/: none of it is committed";
    expect(await hidden()).toEqual([line]);
    fixture.write(".pytest_cache/v/cache/lastfailed", "{}\n");
    expect(await hidden()).toEqual([line]);
  });

  test("include unreadable files, also for root without capabilities", async () => {
    fixture.write("a", "two\n");
    chmodSync(at("folder/b"), 0o000);
    const program = await bundleProgram(join(import.meta.dirname, "programs/look-for-hidden.ts"));
    const powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"];
    const asOrdinaryUser = process.getuid?.() === 0 ? powerless : [];
    const [first, ...args] = [...asOrdinaryUser, process.execPath, program, fixture.repo, String(since), before];
    const { hidden: told, changed } = JSON.parse(execFileSync(first, args, { encoding: "utf8" })) as {
      hidden: string[];
      changed: FileChange[];
    };
    expect(told).toEqual(["folder/b cannot be read: it is committed as it was before"]);
    expect(changed.map(({ path }) => path)).toEqual(["a"]);
  });

  test("exclude files from before the run", async () => {
    fixture.write(".gitignore", "*.log\n");
    fixture.write("x.log", "1\n");
    fixture.git("init", "--quiet", "lib");
    since = Date.now() + 1000;
    expect(await hidden()).toEqual([]);
  });
});
