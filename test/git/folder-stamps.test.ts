import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFolderStamper, type FolderStamps } from "../../src/adapters/git/snapshot/folder-stamps.ts";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { listGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { gitIn, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** Above the limit for stat data of single files. */
const MANY = 1_501;
const RULES = "many/\n*.log\nnested/.gitignore\nsecret\n";

function prepare(): void {
  fixture.write(".gitignore", RULES);
  for (const path of ["a", "b", "folder/b", "folder/deep/c", "nested/x"]) fixture.write(path, "1\n");
  fixture.write("nested/.gitignore", "hidden\n");
  fixture.write("nested/hidden", "1\n");
  for (const path of ["x.log", "folder/secret", "many/inner/file"]) fixture.write(path, "1\n");
  for (let number = 0; number < MANY; number++) writeFileSync(at(`many/${number}`), "");
  writeFileSync(at(".git/info/exclude"), "private\n");
  fixture.write("nested/private", "1\n");
  mkdirSync(at("hollow/below"), { recursive: true });
  symlinkSync("a", at("link"));
  fixture.commitAll("one");
}

const FOLDER = { recursive: true };

const MAPPED_WRITE = `import mmap, sys
with open(sys.argv[1], "r+b") as file:
    view = mmap.mmap(file.fileno(), 0)
    view[0:1] = b"3"
    view.close()
`;

describe("large tree without added or removed names", () => {
  function looking() {
    const gits = listGits(fixture.base);
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const look = async () => {
      const before = gits().length;
      const snapshot = await workspace.now([]);
      const asked = gits().slice(before);
      return { snapshot, isQuick: asked.length === 1 && asked[0]?.includes(" diff-files ") === true };
    };
    /** Repeats the scan until it is quick: recently added names prove nothing. */
    const untilQuick = async () => {
      for (;;) {
        const { snapshot, isQuick } = await look();
        if (isQuick) return snapshot;
      }
    };
    return { look, untilQuick };
  }
  const fresh = () => createGitWorkspace(fixture.repo, { run: "fresh", env: process.env }).now([]);

  test("is not searched for new files while its names are unchanged", async () => {
    prepare();
    const { look, untilQuick } = looking();
    const first = await untilQuick();
    expect(await look()).toEqual({ snapshot: first, isQuick: true });
    fixture.write("many/inner/another", "1\n");
    mkdirSync(at("many/new"));
    fixture.write("a", "2\n");
    const { snapshot, isQuick } = await look();
    expect(isQuick).toBe(false); // The difference is staged.
    expect(snapshot).toBe(await fresh());
    expect(await look()).toEqual({ snapshot, isQuick: true });
  });

  type Touch = readonly [what: string, touch: () => void];

  const files: readonly Touch[] = [
    ["another content of the same size, with the old times", () => replaceQuietly(at("a"), "1", "2")],
    ["another content through a name outside of the tree", () => throughAnotherName("folder/b")],
    ["a write through a mapping of memory", () => throughMapping("folder/b")],
    ["another file in its place, with older times", () => replaced("folder/b")],
    ["another mode", () => chmodSync(at("folder/deep/c"), 0o755)],
    ["a link that leads elsewhere", () => (rmSync(at("link")), symlinkSync("b", at("link")))],
  ];
  const names: readonly Touch[] = [
    ["a new file at the top", () => fixture.write("new", "1\n")],
    ["a new file far down", () => fixture.write("folder/deep/new", "1\n")],
    ["a new file in a new folder", () => fixture.write("folder/other/below/new", "1\n")],
    ["a new file where nothing was before", () => fixture.write("hollow/below/new", "1\n")],
    ["a name with a line break", () => fixture.write("folder/one\ntwo", "1\n")],
    ["a name that is no text", () => fixture.write(bytes("folder/", [0xe9]), "1\n")],
    ["a file in a folder whose name is no text", () => fixture.write(bytes([0xe9, 0x2f], "new"), "1\n")],
    ["another one there", () => fixture.write(bytes([0xe9, 0x2f], "newer"), "1\n")],
    ["a folder in the place of a file", () => (rmSync(at("a")), fixture.write("a/x", "1\n"))],
    ["a removed file", () => rmSync(at("folder/b"))],
    ["a file with another name", () => renameSync(at("b"), at("hollow/b"))],
    ["a folder with another name", () => renameSync(at("folder/deep"), at("hollow/deep"))],
    ["a file in the place of a folder", () => (rmSync(at("nested"), FOLDER), fixture.write("nested", "1\n"))],
    ["a link in the place of a folder", () => (renameSync(at("folder"), at("f")), symlinkSync("f", at("folder")))],
    ["a removed folder", () => rmSync(at("hollow"), FOLDER)],
  ];
  const rules: readonly Touch[] = [
    ["a rule in a file that is ignored itself", () => fixture.write("nested/.gitignore", "")],
    ["a new file with rules", () => fixture.write("folder/.gitignore", "!secret\n")],
    ["a rule less in the repository", () => writeFileSync(at(".git/info/exclude"), "")],
    ["another rule, with the old size and time", () => replaceQuietly(at(".gitignore"), "*.log", "*.lag")],
    ["a folder that is ignored no longer", () => fixture.write(".gitignore", RULES.replace("many/", "many/[0-9]*"))],
    ["a new file in it", () => fixture.write("many/inner/other", "1\n")],
    ["no rules any more", () => rmSync(at(".gitignore"))],
  ];
  test.each([
    ["files", files],
    ["names", names],
    ["rules", rules],
  ])("is scanned again after any change to %s", async (_, touches) => {
    prepare();
    const { look, untilQuick } = looking();
    for (const [what, touch] of touches) {
      const before = await untilQuick();
      touch();
      const { snapshot } = await look();
      expect(snapshot, what).toBe(await fresh());
      expect(snapshot, what).not.toBe(before);
      fixture.commitAll(what); // While an indexed file is missing, no scan is quick.
    }
  });

  test.each<Touch>([
    ["an ignored file is added", () => fixture.git("add", "--force", "x.log")],
    ["a nested repository is created", () => repository("folder/inner")],
    ["a file is marked assume-unchanged", () => (marked("--assume-unchanged"), fixture.write("folder/b", "2\n"))],
    ["a file is marked skip-worktree", () => (marked("--skip-worktree"), fixture.write("folder/b", "2\n"))],
    ["the index is replaced", () => (fixture.write("new", "1\n"), rmSync(at(".git/index")), fixture.git("add", "a"))],
  ])("is scanned again after %s", async (_, touch) => {
    prepare();
    const { look, untilQuick } = looking();
    const before = await untilQuick();
    touch();
    const { snapshot } = await look();
    expect(snapshot).toBe(await fresh());
    expect(snapshot).not.toBe(before);
    expect((await look()).snapshot).toBe(snapshot);
  });

  test("is scanned again after a change to the configured rules", async () => {
    const rules = join(fixture.base, "rules");
    writeFileSync(rules, "mine\n");
    fixture.git("config", "core.excludesFile", rules);
    fixture.write("folder/mine", "1\n");
    prepare();
    const { look, untilQuick } = looking();
    const first = await untilQuick();
    writeFileSync(rules, "");
    const { snapshot } = await look();
    expect(snapshot).toBe(await fresh());
    expect(snapshot).not.toBe(first);
  });

  test("is searched each time while it contains an unreadable entry", async () => {
    prepare();
    const { look, untilQuick } = looking();
    await untilQuick();
    fixture.git("init", "--quiet", "inner"); // without a commit
    for (const _ of [1, 2, 3]) expect((await look()).isQuick).toBe(false);
  });

  test("contains a file that becomes readable, also for root without capabilities", async () => {
    prepare();
    fixture.write("folder/new", "1\n");
    chmodSync(at("folder/new"), 0o000);
    const program = await bundleProgram(join(import.meta.dirname, "programs/look-until-readable.ts"));
    const powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"];
    const asOrdinaryUser = process.getuid?.() === 0 ? powerless : [];
    const [first, ...args] = [...asOrdinaryUser, process.execPath, program, fixture.repo, "folder/new"];
    const told = JSON.parse(execFileSync(first, args, { encoding: "utf8" })) as { found: string; expected: string };
    expect(told.found).toBe(told.expected);
    expect(fixture.git("ls-tree", "-r", "--name-only", told.found).split("\n")).toContain("folder/new");
  });

  function throughAnotherName(path: string): void {
    const other = join(fixture.base, "other");
    linkSync(at(path), other);
    replaceQuietly(other, "1", "2");
    rmSync(other);
  }

  function replaced(path: string): void {
    const other = join(fixture.base, "other");
    writeFileSync(other, "4\n");
    utimesSync(other, 1000, 1000);
    renameSync(other, at(path));
  }

  /** Changes the file through a memory mapping, if such a program is installed. */
  function throughMapping(path: string): void {
    const { error } = spawnSync("python3", ["-c", MAPPED_WRITE, at(path)]);
    if (error !== undefined) fixture.write(path, "3\n");
  }

  const marked = (mark: string) => fixture.git("update-index", mark, "folder/b");

  function repository(path: string): void {
    fixture.git("init", "--quiet", path);
    gitIn(at(path), "commit", "--quiet", "--allow-empty", "-m", "inside");
  }
});

describe("stat data of folders", () => {
  const environment = () => ({ GIT_DIR: at(".git"), GIT_WORK_TREE: fixture.repo });
  const stamper = () => {
    const stampsIn = createFolderStamper({ top: fixture.repo, env: process.env });
    return (earlier: FolderStamps | null) => stampsIn({ folder: fixture.base, environment: environment(), earlier });
  };
  /** Stat data taken after some time without changes. */
  async function settled(stamp: ReturnType<typeof stamper>): Promise<FolderStamps> {
    for (let stamps: FolderStamps | null = null; ;) {
      const found = await stamp(stamps);
      stamps = found?.stamps ?? null;
      if (found?.isUntouched === true) return found.stamps;
    }
  }

  test("covers folders that can get new files, without ignored ones, .isdlc and .git", async () => {
    prepare();
    fixture.write(".isdlc/journal/x", "1\n");
    fixture.write(bytes("hollow/", [0xe9, 0x2f], "x"), "1\n");
    const stamps = await settled(stamper());
    const folders = ["", "folder", "folder/deep", "hollow", "hollow/below", "hollow/\u00e9", "nested"];
    expect([...stamps.keys()].toSorted()).toEqual(folders);
  });

  test("proves nothing after a recent change of names", async () => {
    fixture.write("folder/x", "1\n");
    const stamp = stamper();
    const [first, second] = [await stamp(null), await stamp(null)];
    expect(first?.isUntouched).toBe(false);
    const young = new Map([...(second?.stamps ?? [])].map(([path, one]) => [path, { ...one, isSettled: false }]));
    expect((await stamp(young))?.isUntouched).toBe(false);
    expect((await stamp(await settled(stamp)))?.isUntouched).toBe(true);
  });

  test("differs after the clock is set back", async () => {
    prepare();
    const stamp = stamper();
    const later = [...(await settled(stamp))].map(([path, one]) => {
      const [number, time] = one.stamp.split(":");
      return [path, { ...one, stamp: `${number}:${Number(time) + 3_600_000}` }] as const;
    });
    expect((await stamp(new Map(later)))?.isUntouched).toBe(false);
  });

  test.each([
    ["a nested repository", () => mkdirSync(at("folder/.GIT"))],
    ["a link as rules file", () => (rmSync(at(".gitignore")), symlinkSync("a", at(".gitignore")))],
  ])("is not used with %s, nor later", async (_, make) => {
    prepare();
    make();
    const stamp = stamper();
    expect(await stamp(null)).toBeNull();
    rmSync(at("folder/.GIT"), { recursive: true, force: true });
    rmSync(at(".gitignore"));
    expect(await stamp(null)).toBeNull();
  });

  test("is not used for a folder removed during the scan, until the next scan", async () => {
    prepare();
    const stamp = stamper();
    const stamps = await settled(stamp);
    const gone = new Map(stamps).set("hollow/gone", {
      stamp: "1:1",
      rulesAt: null,
      rules: null,
      isSettled: true,
      folders: [],
    });
    const hollow = stamps.get("hollow");
    if (hollow === undefined) throw new Error("the folder has no stamp");
    gone.set("hollow", { ...hollow, folders: [...hollow.folders, "hollow/gone"] });
    expect(await stamp(gone)).toBeNull();
    expect((await stamp(stamps))?.isUntouched).toBe(true);
  });
});
