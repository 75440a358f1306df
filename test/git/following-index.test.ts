import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/snapshot/git-workspace.ts";
import { type Dice, rollDice } from "../support/dice.ts";
import { countGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { gitIn, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const filesOf = (snapshot: string | null) =>
  fixture
    .git("ls-tree", "-r", "--name-only", snapshot ?? "")
    .split("\n")
    .filter((name) => name !== "");

describe("a tree that is looked at again gives what a first look gives", () => {
  const SEEDS = Array.from({ length: Number(process.env["SEEDS"] ?? 3) }, (_, index) => index + 1);
  const STEPS = 25;
  const include = ["docs/item", ".isdlc/work/run"];

  const seen = new Set<string | null>();

  test.for(SEEDS)("whatever happened meanwhile, seed %d", (seed) => looksAlike(seed));

  test("whatever happened meanwhile, in a tree so large that two gits look through it", async () => {
    for (let number = 0; number < LARGE; number++) fixture.write(`many/${"long-".repeat(30)}${number}`, `${number}\n`);
    fixture.git("add", "--all");
    expect(statSync(at(".git/index")).size).toBeGreaterThan(512 * 1024);
    await looksAlike(7);
  });

  /** Files whose names alone fill half a megabyte. */
  const LARGE = 3_000;

  async function looksAlike(seed: number): Promise<void> {
    const dice = rollDice(seed);
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    const following = createGitWorkspace(fixture.repo, { run: "following", env: process.env });
    await following.snapshot("first", include);
    const done: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      done.push(happen(dice));
      const fresh = createGitWorkspace(fixture.repo, { run: "fresh", env: process.env });
      const expected = await fresh.snapshot(`step-${step}`, include);
      const found = dice.chance(50)
        ? await following.now(include)
        : await following.snapshot(dice.of(["x", "y"]), include);
      expect(found, done.join("\n")).toBe(expected);
      if (dice.chance(20)) {
        const copy = await following.copy(found);
        expect(namesIn(copy.dir), done.join("\n")).toEqual(filesOf(found).filter((path) => !isInner(path)));
        await copy.dispose();
      }
      seen.add(found);
    }
  }

  test("it saw many different trees", () => {
    expect(seen.size).toBeGreaterThan(SEEDS.length * 5);
  });

  const names = ["a", "b", "c/d", "c/e", "logs/x.log", "docs/item/n.md", "docs/item/y.log", ".isdlc/work/run/p.md"];
  const isInner = (path: string) => path === "inner";

  function happen(dice: Dice): string {
    const name = dice.of(names);
    const text = `${dice.number() % 3}\n`;
    const events: Record<string, () => unknown> = {
      write: () => put(name, text),
      another: () => put(dice.of(names), text),
      append: () => existsSync(at(name)) && appendFileSync(at(name), text),
      remove: () => rmSync(at(name), { force: true, recursive: true }),
      link: () => (rmSync(at("b"), { force: true, recursive: true }), symlinkSync("a", at("b"))),
      folder: () => (rmSync(at("a"), { force: true, recursive: true }), put("a/inside", text)),
      mode: () => existsSync(at("c/d")) && chmodSync(at("c/d"), dice.chance(50) ? 0o755 : 0o644),
      ignore: () => put(dice.of([".gitignore", "c/.gitignore"]), dice.of(["*.log\n", "b\n", "e\n", "*\n", ""])),
      exclude: () => put(".git/info/exclude", dice.of(["d\n", ""])),
      add: () => fixture.git("add", "--all"),
      force: () => existsSync(at(name)) && !name.startsWith(".isdlc") && fixture.git("add", "--force", name),
      commit: () => fixture.commitAll("more"),
      reset: () => fixture.git("reset", "--quiet", dice.of(["--hard", "--mixed"])),
      stash: () => fixture.git("stash", "--include-untracked", "--quiet"),
      assume: () => isTracked("c/e") && fixture.git("update-index", "--assume-unchanged", "c/e"),
      skip: () => isTracked("b") && fixture.git("update-index", "--skip-worktree", "b"),
      untrack: () => fixture.git("rm", "--cached", "--quiet", "--ignore-unmatch", "-r", name),
      repository: () => inner(),
      opened: () => (rmSync(at("inner/.git"), { recursive: true, force: true }), put("inner/file", text)),
      linked: () => (rmSync(at("c"), { recursive: true, force: true }), symlinkSync("docs/item", at("c"))),
      aged: () => existsSync(at("a")) && utimesSync(at("a"), 1000, 1000),
      unindexed: () => rmSync(at(".git/index"), { force: true }),
    };
    const [event, act] = dice.of([...Object.entries(events), ...Object.entries(events).slice(0, 3)]);
    try {
      act();
    } catch (error) {
      return `${event} ${name}: ${String(error)}`; // git may refuse; then nothing happened
    }
    return `${event} ${name} ${text}`;
  }

  function put(path: string, text: string): void {
    for (let parent = dirname(path); parent !== "."; parent = dirname(parent))
      if (existsSync(at(parent)) && !isFolder(parent)) rmSync(at(parent));
    if (existsSync(at(path)) && isFolder(path)) rmSync(at(path), { recursive: true });
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }

  const isFolder = (path: string) => {
    try {
      return readdirSync(at(path)).length >= 0;
    } catch {
      return false;
    }
  };
  const isTracked = (path: string) => fixture.git("ls-files", path) !== "";

  function inner(): void {
    if (!existsSync(at("inner/.git"))) fixture.git("init", "--quiet", "inner");
    else gitIn(at("inner"), "commit", "--quiet", "--allow-empty", "-m", "inside");
  }

  function namesIn(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }
});

describe("a filter that is configured between two looks never runs (S5)", () => {
  const ran = () => existsSync(at("ran"));
  const command = () => `touch ${at("ran")}; cat`;

  test.for(["the repository's settings", "the person's settings", "a file that the settings include"])(
    "in %s",
    async (place) => {
      const included = join(fixture.base, "included");
      if (place.startsWith("a file")) fixture.git("config", "include.path", included);
      fixture.write("a", "1\n");
      fixture.commitAll("one");
      const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
      for (const name of ["one", "two"]) await workspace.snapshot(name, []); // what it asked once, it has remembered
      fixture.write(".gitattributes", "* filter=evil\n");
      const file = { t: at(".git/config"), p: join(fixture.base, "home/.gitconfig"), f: included }[
        place.startsWith("the r") ? "t" : place.startsWith("the p") ? "p" : "f"
      ];
      appendFileSync(file, `[filter "evil"]\n\tclean = ${command()}\n\tsmudge = ${command()}\n\trequired\n`);
      fixture.write("a", "2\n");
      const snapshot = await workspace.snapshot("three", []);
      await (await workspace.copy(snapshot)).dispose();
      expect(ran()).toBe(false);
      fixture.git("add", "a"); // the same filter, where nobody is careful
      expect(ran()).toBe(true);
    },
  );
});

describe("a tree that nobody touched since the last look", () => {
  const looking = async () => {
    fixture.write("a", "1\n");
    fixture.write("folder/b", "1\n");
    fixture.commitAll("one");
    const gits = countGits(fixture.base);
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    await workspace.snapshot("first", []);
    const look = async () => {
      const before = gits();
      const snapshot = await workspace.now([]);
      return { snapshot, asked: gits() - before };
    };
    return { ...(await settled(look)), look };
  };
  /** Files that were written a moment ago are left to git. */
  const settled = async (look: () => Promise<{ snapshot: string | null; asked: number }>) => {
    for (;;) {
      const { snapshot, asked } = await look();
      if (asked === 0) return { first: snapshot };
    }
  };
  const fresh = () => createGitWorkspace(fixture.repo, { run: "fresh", env: process.env }).now([]);

  test("is known without asking git", async () => {
    const { first, look } = await looking();
    expect(await look()).toEqual({ snapshot: first, asked: 0 });
    expect(await fresh()).toBe(first);
  });

  const touches: readonly (readonly [what: string, touch: () => void])[] = [
    ["another content of the same size, with the old times", () => replaceQuietly(at("a"), "1", "2")],
    ["another file in its place, with the old times", () => (rmSync(at("a")), put("a", "2\n"), age("a"))],
    ["a new file", () => put("folder/c", "1\n")],
    ["a new file in a new folder", () => put("other/c", "1\n")],
    ["a removed file", () => rmSync(at("folder/b"))],
    ["a file with another name", () => renameSync(at("a"), at("folder/a"))],
    [
      "a folder with another name and a link in its place",
      () => (renameSync(at("folder"), at("moved")), symlinkSync("moved", at("folder"))),
    ],
    ["another mode", () => chmodSync(at("a"), 0o755)],
    ["an ignored file that is ignored no longer", () => writeFileSync(at(".git/info/exclude"), "none\n")],
    [
      "a repository inside",
      () => (
        fixture.git("init", "--quiet", "inner"),
        gitIn(at("inner"), "commit", "--quiet", "--allow-empty", "-m", "inside")
      ),
    ],
  ];
  test.each(touches)("is looked at again after %s", async (_, touch) => {
    writeFileSync(join(fixture.repo, ".git/info/exclude"), "ignored\n");
    fixture.write("ignored", "1\n");
    const { first, look } = await looking();
    touch();
    const { snapshot, asked } = await look();
    expect(asked).toBeGreaterThan(0);
    expect(snapshot).toBe(await fresh());
    expect(snapshot).not.toBe(first);
  });

  test("is looked at again after the rules changed that the settings name", async () => {
    const rules = join(fixture.base, "rules");
    writeFileSync(rules, "ignored\n");
    fixture.git("config", "core.excludesFile", rules);
    fixture.write("ignored", "1\n");
    const { first, look } = await looking();
    writeFileSync(rules, "");
    expect((await look()).snapshot).not.toBe(first);
  });

  const put = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const age = (path: string): void => utimesSync(at(path), 1000, 1000);
});

test("after a git that was killed, its lock is not in the way", async () => {
  fixture.write("a", "1\n");
  fixture.commitAll("one");
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  await workspace.snapshot("first", []);
  const [folder = ""] = readdirSync(at(".git/isdlc"));
  writeFileSync(at(`.git/isdlc/${folder}/index.lock`), "");
  fixture.write("a", "2\n");
  const second = await workspace.snapshot("second", []);
  expect(second).toBe(
    await createGitWorkspace(fixture.repo, { run: "other", env: process.env }).snapshot("second", []),
  );
});

test("what is looked at twice at the same time is looked at one after the other", async () => {
  fixture.write("a", "1\n");
  fixture.commitAll("one");
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  const taken = Promise.all(["x", "y", "z"].map((name) => workspace.snapshot(name, [])));
  expect(new Set(await taken).size).toBe(1);
});
