import { existsSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { createScratchCopy, copyTree } from "./scratch-copy.ts";

/** The working tree where there is no git: it can be copied, but not remembered, compared or brought back. */
export function createPlainWorkspace(cwd: string): Workspace {
  return {
    snapshot: () => Promise.resolve(null),
    now: () => Promise.resolve(null),
    submodules: () => Promise.resolve([]),
    verify: () => Promise.resolve(),
    hidden: () => Promise.resolve([]),
    kept: () => Promise.resolve(null),
    diff: () => Promise.resolve(null),
    lines: () => Promise.resolve(0),
    patch: () => Promise.resolve(""),
    background: () => Promise.resolve({ commits: [], tests: new Map() }),
    texts: () => Promise.resolve(new Map()),
    without: () => Promise.reject(notKept()),
    restore: () => Promise.reject(notKept()),
    copy: () => copyTree(cwd),
    writeInto: () => Promise.reject(notKept()),
    ignored: () => Promise.resolve(existsSync(join(cwd, "node_modules")) ? ["node_modules/"] : []), // no copy has it
    scratchCopy: async (_snapshot, folder) => createScratchCopy(await copyTree(cwd), { root: cwd, folder }),
  };
}

const notKept = (): ProblemError =>
  new ProblemError({ code: "GIT_UNAVAILABLE", detail: "earlier states of the files are not kept" });
