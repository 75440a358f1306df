import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createGitWorkspace } from "../src/adapters/git/git-workspace.ts";
import { sandboxAvailable } from "../src/adapters/sandbox/sandbox-available.ts";
import { testSandbox } from "../src/adapters/sandbox/test-sandbox.ts";
import type { Settings } from "./benches.ts";
import { manyFiles } from "./big-repository.ts";
import { interleave, least, timedWithChildren } from "./measure.ts";
import type { ReportLine } from "./report.ts";
import { type TestedProject, testedProjects, writeProject } from "./tested-projects.ts";

const COPIED_FILES = 5000;
const COMPILED = "compiled";

/** Measures creating a copy of the working tree for tests, and running tests in their sandbox. */
export async function measureTestCopy(settings: Settings): Promise<readonly ReportLine[]> {
  const { scratch, quick } = settings;
  const { tree } = manyFiles(scratch, "tested", { files: COPIED_FILES, changed: 1 });
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
      what: `a copy of ${COPIED_FILES} files for the tests, made and removed`,
      base: "-",
      figures: [{ name: "min wall", value: least(copy.wall) }],
      goal: 1000,
      unit: " ms",
    },
    ...(await sandboxedTests(settings, quick ? 3 : 10)),
  ];
}

async function sandboxedTests({ scratch, root: product }: Settings, rounds: number): Promise<readonly ReportLine[]> {
  const available = sandboxAvailable(process.env);
  if (!available.ok) return [];
  const lines: ReportLine[] = [];
  for (const project of testedProjects()) {
    const folders = { root: join(scratch, `${project.tool}-outside`), copy: join(scratch, `${project.tool}-inside`) };
    for (const folder of Object.values(folders)) writeProject(project, folder, join(product, "node_modules"));
    lines.push(await sandboxedProject(project, { ...folders, bwrap: available.bwrap, rounds }));
  }
  return lines;
}

type CopyPlace = { readonly root: string; readonly copy: string; readonly bwrap: string; readonly rounds: number };

async function sandboxedProject(
  { tool, command, compilesInto }: TestedProject,
  { root, copy, bwrap, rounds }: CopyPlace,
): Promise<ReportLine> {
  const around = testSandbox(
    {
      root,
      gitDirs: [],
      home: homedir(),
      path: process.env["PATH"] ?? "",
      command,
      secret: [],
      needs: { network: false, read: [], write: [] },
      bwrap,
    },
    { copy, readOnly: [] },
  );
  const env = { ...process.env, ...(compilesInto === undefined ? {} : { [compilesInto]: join(root, COMPILED) }) };
  const run = ([program = "", ...args]: readonly string[]) => {
    for (const folder of [root, copy]) rmSync(join(folder, COMPILED), { recursive: true, force: true });
    return timedWithChildren(() => {
      const { status, stderr, stdout } = spawnSync(program, args, { cwd: root, env, encoding: "utf8" });
      if (status !== 0) throw new Error(`the tests did not run: ${stderr}${stdout}`);
    });
  };
  const inside = around(command, { cwd: root, access: "write" });
  const { own, sandboxed } = await interleave(rounds, { own: () => run(command), sandboxed: () => run(inside) });
  return {
    what: `the tests of a ${tool} project in their sandbox, without the copy`,
    base: `the same tests outside, min ${Math.round(least(own.wall))} ms`,
    figures: [{ name: "min wall", value: least(sandboxed.wall) / least(own.wall) }],
    goal: 1.3,
    unit: "x",
  };
}
