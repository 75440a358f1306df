import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createGitWorkspace } from "../src/adapters/git/snapshot/git-workspace.ts";
import { sandboxAvailable } from "../src/adapters/sandbox/sandbox-available.ts";
import { testSandbox } from "../src/adapters/sandbox/test-sandbox.ts";
import type { Settings } from "./benches.ts";
import { manyFiles } from "./big-repository.ts";
import { interleave, least, timedWithChildren } from "./measure.ts";
import type { Line } from "./report.ts";

const FILES = 5000;

/** What it costs to give tests a copy of their own, and to run them in their sandbox. */
export async function measureTestCopy({ scratch, quick }: Settings): Promise<readonly Line[]> {
  const { tree } = manyFiles(scratch, "tested", { files: FILES, changed: 1 });
  const workspace = createGitWorkspace(tree, { run: "1", env: process.env });
  const snapshot = await workspace.snapshot("checked", []);
  const copied = () =>
    timedWithChildren(async () => {
      const made = await workspace.copy(snapshot);
      await made.dispose();
    });
  const { copy } = await interleave(quick ? 3 : 10, { copy: copied });
  return [
    {
      what: `a copy of ${FILES} files for the tests, made and removed`,
      base: "-",
      figures: [{ name: "min wall", value: least(copy.wall) }],
      goal: 1000,
      unit: " ms",
    },
    ...(await sandboxedTests(scratch, quick ? 3 : 10)),
  ];
}

const TEST = `import test from "node:test";
for (const name of ["one", "two", "three"]) test(name, () => { for (let at = 0; at < 1e8; at++); });
`;

async function sandboxedTests(scratch: string, rounds: number): Promise<readonly Line[]> {
  const available = sandboxAvailable(process.env);
  if (!available.ok) return [];
  const [root, copy] = [join(scratch, "outside"), join(scratch, "inside")];
  for (const folder of [root, copy]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "sample.test.mjs"), TEST);
  }
  const command = [process.execPath, "--test", "sample.test.mjs"];
  const around = testSandbox(
    {
      root,
      gitDirs: [],
      home: homedir(),
      path: process.env["PATH"] ?? "",
      command,
      secret: [],
      needs: { network: false, read: [], write: [] },
      bwrap: available.bwrap,
    },
    { copy, readOnly: [] },
  );
  const run = ([program = "", ...args]: readonly string[]) =>
    timedWithChildren(() => {
      const { status, stderr } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
      if (status !== 0) throw new Error(`the tests did not run: ${stderr}`);
    });
  const inside = around(command, { cwd: root, access: "write" });
  const { own, sandboxed } = await interleave(rounds, { own: () => run(command), sandboxed: () => run(inside) });
  return [
    {
      what: "the tests of a project in their sandbox, without the copy",
      base: `the same tests outside, min ${Math.round(least(own.wall))} ms`,
      figures: [{ name: "min wall", value: least(sandboxed.wall) / least(own.wall) }],
      goal: 1.3,
      unit: "x",
    },
  ];
}
