import { ProblemError } from "../../core/problem.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { copyTree } from "./copy-tree.ts";
import { scratchCopyOf } from "./scratch-copy.ts";

/** The working tree where there is no git: it can be copied, but not remembered, compared or brought back. */
export function createPlainWorkspace(cwd: string): Workspace {
  return {
    snapshot: () => Promise.resolve(null),
    now: () => Promise.resolve(null),
    changedSince: () => Promise.resolve(null),
    kept: () => Promise.resolve(null),
    diff: () => Promise.resolve(null),
    lines: () => Promise.resolve(0),
    patch: () => Promise.resolve(""),
    restore: () =>
      Promise.reject(new ProblemError({ code: "GIT_UNAVAILABLE", detail: "earlier states of the files are not kept" })),
    copy: () => copyTree(cwd),
    scratchCopy: async (_snapshot, folder) => scratchCopyOf(await copyTree(cwd), { root: cwd, folder }),
  };
}
