import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { countGits } from "./count-gits.ts";
import { looksAlike } from "./looks-alike.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { gitIn, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
describe("repeated scan of a tree", () => {
  const SEEDS = Array.from({ length: Number(process.env["SEEDS"] ?? 3) }, (_, index) => index + 1);
  const seen = new Set<string | null>();

  test.for(SEEDS)("equals a first scan after random changes, seed %d", async (seed) => {
    for (const snapshot of await looksAlike(fixture, seed)) seen.add(snapshot);
  });

  test("sees many different trees", () => {
    expect(seen.size).toBeGreaterThan(SEEDS.length * 5);
  });
});

describe("filter configured between two scans [S5]", () => {
  const ran = () => existsSync(at("ran"));
  const command = () => `touch ${at("ran")}; cat`;

  test.for(["the repository's settings", "the user's settings", "a file included by the settings"])(
    "never runs if it is configured in %s",
    async (place) => {
      const included = join(fixture.base, "included");
      if (place.startsWith("a file")) fixture.git("config", "include.path", included);
      fixture.write("a", "1\n");
      fixture.commitAll("one");
      const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
      for (const name of ["one", "two"]) await workspace.snapshot(name, []); // The answer for this attribute is cached by now.
      fixture.write(".gitattributes", "* filter=evil\n");
      const file = { t: at(".git/config"), p: join(fixture.base, "home/.gitconfig"), f: included }[
        place.startsWith("the r") ? "t" : place.startsWith("the u") ? "p" : "f"
      ];
      appendFileSync(file, `[filter "evil"]\n\tclean = ${command()}\n\tsmudge = ${command()}\n\trequired\n`);
      fixture.write("a", "2\n");
      const snapshot = await workspace.snapshot("three", []);
      await (await workspace.copy(snapshot)).dispose();
      expect(ran()).toBe(false);
      fixture.git("add", "a"); // The same filter runs in a plain call of git.
      expect(ran()).toBe(true);
    },
  );
});

describe("tree unchanged since the last scan", () => {
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
  /** Repeats the scan until it starts no git: recently written files are left to git. */
  const settled = async (look: () => Promise<{ snapshot: string | null; asked: number }>) => {
    for (;;) {
      const { snapshot, asked } = await look();
      if (asked === 0) return { first: snapshot };
    }
  };
  const fresh = () => createGitWorkspace(fixture.repo, { run: "fresh", env: process.env }).now([]);

  test("is recognized without git", async () => {
    const { first, look } = await looking();
    expect(await look()).toEqual({ snapshot: first, asked: 0 });
    expect(await fresh()).toBe(first);
  });

  const touches: readonly (readonly [what: string, touch: () => void])[] = [
    ["a change of equal size with the old times", () => replaceQuietly(at("a"), "1", "2")],
    ["a replaced file with the old times", () => (rmSync(at("a")), put("a", "2\n"), age("a"))],
    ["a new file", () => put("folder/c", "1\n")],
    ["a new file in a new folder", () => put("other/c", "1\n")],
    ["a removed file", () => rmSync(at("folder/b"))],
    ["a renamed file", () => renameSync(at("a"), at("folder/a"))],
    [
      "a renamed folder with a link in its place",
      () => (renameSync(at("folder"), at("moved")), symlinkSync("moved", at("folder"))),
    ],
    ["a changed mode", () => chmodSync(at("a"), 0o755)],
    ["an ignored file that is no longer ignored", () => writeFileSync(at(".git/info/exclude"), "none\n")],
    [
      "a nested repository",
      () => (
        fixture.git("init", "--quiet", "inner"),
        gitIn(at("inner"), "commit", "--quiet", "--allow-empty", "-m", "inside")
      ),
    ],
  ];
  test.each(touches)("is scanned again after %s", async (_, touch) => {
    writeFileSync(join(fixture.repo, ".git/info/exclude"), "ignored\n");
    fixture.write("ignored", "1\n");
    const { first, look } = await looking();
    touch();
    const { snapshot, asked } = await look();
    expect(asked).toBeGreaterThan(0);
    expect(snapshot).toBe(await fresh());
    expect(snapshot).not.toBe(first);
  });

  test("is scanned again after a change to the configured rules", async () => {
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

test("scans a tree despite the index lock of a killed git", async () => {
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

test("scans a tree for one of several concurrent calls at a time", async () => {
  fixture.write("a", "1\n");
  fixture.commitAll("one");
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  const taken = Promise.all(["x", "y", "z"].map((name) => workspace.snapshot(name, [])));
  expect(new Set(await taken).size).toBe(1);
});
