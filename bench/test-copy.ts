import { createGitWorkspace } from "../src/adapters/git/snapshot/git-workspace.ts";
import type { Settings } from "./benches.ts";
import { manyFiles } from "./big-repository.ts";
import { interleave, least, timedWithChildren } from "./measure.ts";
import type { Line } from "./report.ts";

const FILES = 5000;

/** What it costs to give tests a copy of their own. */
export async function measureTestCopy({ scratch, quick }: Settings): Promise<readonly Line[]> {
  const { tree } = manyFiles(scratch, "tested", { files: FILES, changed: 1 });
  const workspace = createGitWorkspace(tree, "1");
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
  ];
}
