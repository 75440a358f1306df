import { createGitWorkspace } from "../../adapters/git/git-workspace.ts";
import { readMarkFacts } from "../../engine/review-facts.ts";
import type { RunSource } from "./look-at-run.ts";
import { readRunEvents, type FoundRun } from "./repository.ts";
import type { Story } from "../../schema/api-history.ts";
import { runPhases } from "../../views/phase-names.ts";
import { STORY_PART, buildStory } from "../../views/page/timeline.ts";
import { readTreeFile } from "../../adapters/git/objects/tree-object.ts";

/**
 * Reads the data of a run in a working tree. Documents come from the displayed git tree, or else from the current
 * files.
 */
export function toRunSource(found: FoundRun): RunSource {
  const { run, project } = found;
  const { root, env } = project;
  const workspace = createGitWorkspace(root, { run: run.run.run, env });
  return {
    run,
    events: () => readRunEvents(found),
    async file(path, tree) {
      const kept = tree === null ? null : await readTreeFile(root, { tree, path }, env);
      if (kept !== null) return kept;
      const text = project.projections.readArtifact(path);
      return text === null ? null : Buffer.from(text);
    },
    patch: (from, to) => workspace.patch(from, to),
    ...(run.is === "active" ? { marks: (patch: string) => readMarkFacts(workspace, run, patch) } : {}),
    texts: (tree, paths) => workspace.texts(tree, paths),
  };
}

/** Number of events to read before the first reported one: they usually include the one that names its phase. */
const LOOKED_BACK = 500;

/** Reads one part of the story. The rest of a long journal is not read. */
export function storyFrom({ run, project }: FoundRun, from: number): Story {
  const begins = Math.max(1, from);
  const first = Math.max(1, begins - LOOKED_BACK);
  const most = begins - first + STORY_PART + 1; // one more shows that another part follows
  return buildStory(project.journal.part(run.run.run, { from: first, most }), begins, runPhases(run));
}
