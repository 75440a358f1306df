import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { begin, lastMark, mark, RUN } from "../../journal-file/sample-commands.ts";
import { namesBelow, openTreeJournal, treeIn, type Tree } from "../../journal-file/sample-run.ts";
import { bundleProgram } from "../../support/bundle-program.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const strace = spawnSync("strace", ["-V"]).status === 0;

test("has strace installed (apt-get install strace)", ({ skip }) => {
  if (process.env["CI"] === undefined) skip(!strace, "strace is missing: apt-get install strace");
  expect(strace).toBe(true);
});

/** System calls of each file call. Calls that only read names and sizes are omitted. */
const SYSTEM_CALLS: Readonly<Record<string, readonly string[]>> = {
  openSync: ["openat"],
  readdirSync: ["openat"],
  readSync: ["pread64"],
  writeSync: ["pwrite64", "write"],
  fdatasyncSync: ["fdatasync"],
  fsyncSync: ["fsync"],
  ftruncateSync: ["ftruncate"],
  linkSync: ["link"],
  unlinkSync: ["unlink"],
  renameSync: ["rename"],
  mkdirSync: ["mkdir"],
};
const TRACED = [...new Set(Object.values(SYSTEM_CALLS).flat())];

/** Node makes few of these calls itself, and they can be counted without file names. */
const CHANGES = ["pwrite64", "write", "fdatasync", "fsync", "link", "unlink", "rename", "mkdir"];
const OTHERS = ["openat", "pread64", "close", "statx"];

let program = "";
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, "programs", "journal-decisions.ts"));
});

describe.runIf(strace)("under strace", () => {
  test("makes exactly the system calls that the fault injection counts", () => {
    withTree((tree) => {
      const [trace, calls] = [join(tree.user, "..", "trace"), join(tree.user, "..", "calls")];
      const options = ["-f", "-qq", "-y", "-s", "0", "-o", trace, "-e", `trace=${TRACED.join(",")}`];
      expect(run(tree, options, [calls]).status).toBe(0);
      const seen = readFileSync(trace, "utf8")
        .split("\n")
        .filter((line) => line.includes(tree.root) || line.includes(tree.user))
        .map((line) => /^[0-9]+ +([a-z0-9]+)\(/.exec(line)?.[1] ?? line);
      const seam = (JSON.parse(readFileSync(calls, "utf8")) as string[]).filter((name) => name in SYSTEM_CALLS);
      expect(seen.length).toBe(seam.length);
      expect(seen.length).toBeGreaterThan(40);
      for (const [index, name] of seam.entries()) expect(SYSTEM_CALLS[name], `call ${index}`).toContain(seen[index]);
    });
  });

  test.each([...CHANGES, ...OTHERS])("keeps acknowledged decisions if it is killed at every %s", async (call) => {
    let killed = 0;
    for (let when = 1; when < 200; when++) {
      const died = await withTree(async (tree) => {
        // Without --seccomp-bpf, because strace silently injects nothing in combination with it.
        const options = [
          "-f",
          "-qq",
          "-o",
          "/dev/null",
          "-e",
          `trace=${call}`,
          "-e",
          `inject=${call}:signal=KILL:when=${when}`,
        ];
        const ran = run(tree, [...options, ...(OTHERS.includes(call) ? pathArguments(tree) : [])], []);
        const acknowledged = ran.stdout.toString("utf8").split("\n").slice(0, -1);
        await inspect(tree, acknowledged, `${call} ${when}`);
        return ran.status !== 0;
      });
      if (!died) break;
      killed++;
    }
    expect(killed).toBeGreaterThanOrEqual(MINIMUM[call] ?? 1);
  });
});

/** Minimum number of each call for a run with two decisions. */
const MINIMUM: Readonly<Record<string, number>> = {
  pwrite64: 5,
  write: 4,
  fdatasync: 3,
  fsync: 3,
  link: 3,
  unlink: 4,
  rename: 1,
  mkdir: 3,
  openat: 15,
  pread64: 4,
  close: 14,
  statx: 15,
};

function run(tree: Tree, options: readonly string[], more: readonly string[]) {
  const env = { PATH: process.env["PATH"] };
  return spawnSync("strace", [...options, process.execPath, program, tree.root, tree.user, RUN, ...more], { env });
}

function pathArguments(tree: Tree): readonly string[] {
  const name = join(tree.user, createHash("sha256").update(tree.root).digest("hex"));
  const own = join(tree.root, ".isdlc");
  const journal = join(tree.journal, `${RUN}.jsonl`);
  const paths = [own, tree.journal, journal, join(own, "lock"), tree.user, `${name}.json`, `${name}.head`];
  return paths.flatMap((path) => ["-P", path]);
}

const ORDER = ["none", "begun", "m1", "m2"];

async function inspect(tree: Tree, acknowledged: readonly string[], when: string): Promise<void> {
  const journal = openTreeJournal(tree);
  const found = ORDER.indexOf(lastMark(journal.load(RUN).state));
  expect(found - acknowledged.length, when).toBeGreaterThanOrEqual(0);
  expect(found - acknowledged.length, when).toBeLessThanOrEqual(1);
  expect(journal.newest(), when).toBe(found === 0 ? null : RUN);
  const next = found === 0 ? await journal.create(RUN, begin(RUN)) : await journal.submit(RUN, mark("next"));
  expect(next.ok, when).toBe(true);
  journal.close();
  expect(
    namesBelow(tree.root).filter((name) => /lock|tmp/.test(name)),
    when,
  ).toEqual([]);
}

function withTree<T>(work: (tree: Tree) => T): T {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-strace-")));
  const remove = (): void => removeTemporary(base);
  const result = work(treeIn(base));
  if (result instanceof Promise) return result.finally(remove) as T;
  remove();
  return result;
}
