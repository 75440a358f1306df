import { createGitWorkspace } from "../../adapters/git/snapshot/git-workspace.ts";
import { readTreeFile } from "../../adapters/git/snapshot/tree-file.ts";
import type { Story } from "../../schema/api-story.ts";
import { STORY_PART, buildStory } from "../../views/page/story.ts";
import type { RunSource } from "./look-at-run.ts";
import { readRunEvents, type FoundRun } from "./repository.ts";

/** A run of a working tree: documents are read from the tree that was shown, else as they are now. */
export function toRunSource(found: FoundRun): RunSource {
  const { run, project } = found;
  const { root, env } = project;
  return {
    run,
    events: () => readRunEvents(found),
    async file(path, tree) {
      const kept = tree === null ? null : await readTreeFile(root, { tree, path }, env);
      return kept ?? project.projections.readArtifact(path);
    },
    patch: (from, to) => createGitWorkspace(root, { run: run.run.run, env }).patch(from, to),
  };
}

/** Events before the first that is told, among which is mostly the one that says which phase it belongs to. */
const LOOKED_BACK = 500;

/** A part of the story; of a long one the rest is not even read. */
export function storyFrom({ run, project }: FoundRun, from: number): Story {
  const begins = Math.max(1, from);
  const first = Math.max(1, begins - LOOKED_BACK);
  const most = begins - first + STORY_PART + 1; // one more tells that there is more
  return buildStory(project.journal.part(run.run.run, { from: first, most }), begins);
}
