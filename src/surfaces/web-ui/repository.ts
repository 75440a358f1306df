import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { otherTrees } from "../../adapters/git/process/working-trees.ts";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun, EndedRun } from "../../core/run.ts";
import type { TreeLocation } from "../../schema/api.ts";
import type { RunEvent } from "../../schema/event.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { analysedItems } from "../../compose/project-location.ts";
import { itemProject, type LocalProject, openProject } from "../../compose/project.ts";

/** A working tree of the repository, or the analysis of one item in it. */
export type LocatedProject = { readonly project: LocalProject; readonly place: TreeLocation };
export type FoundRun = LocatedProject & { readonly run: ActiveRun | EndedRun };

export type ServedRepository = {
  readonly here: LocalProject;
  /** Lists all places that may have a run. Scans again each time, because worktrees and analyses come and go. */
  places(): readonly LocatedProject[];
  /** @throws ProblemError NO_RUN if no place has this id. */
  find(id: string): FoundRun;
};

/** Opens each working tree of a repository once, to continue reading its journals at the last position. */
export function openRepository(cwd: string, env: NodeJS.ProcessEnv): ServedRepository {
  const here = openProject(cwd, env);
  const known = new Map<string, LocatedProject>();
  const homes = new Map<RunId, LocatedProject>();
  const located = (path: string, item: string | null): LocatedProject => {
    const key = `${path}\n${item ?? ""}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const tree = path === here.root ? here : openProject(path, env);
    const place = { tree: basename(path), path, item, isHere: path === here.root };
    const made = { project: item === null ? tree : itemProject(tree, item), place };
    known.set(key, made);
    return made;
  };
  const places = (): readonly LocatedProject[] =>
    [here.root, ...otherTrees(here.root)].flatMap((path) => [
      located(path, null),
      ...analysedItems({ root: path }).map((item) => located(path, item)),
    ]);
  return {
    here,
    places,
    find(id) {
      if (!isRunId(id)) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
      const candidates = [...(homes.has(id) ? [homes.get(id) as LocatedProject] : []), ...places()]; // checked with `has`
      for (const one of candidates) {
        if (!existsSync(join(one.project.own, OWN.journal))) continue;
        const { state } = one.project.journal.load(id);
        if (state.is === "none") continue;
        homes.set(id, one);
        return { ...one, run: state };
      }
      throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
    },
  };
}

export const isDriven = ({ project }: Pick<LocatedProject, "project">): boolean => project.driver.holder() !== null;

export const readRunEvents = ({ project, run }: FoundRun): readonly RunEvent[] => project.journal.events(run.run.run);
