import type { ServerClient } from "../../../src/adapters/team/server-client.ts";
import type { PlacedProject } from "../../../src/compose/project.ts";
import { NameAnswer } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Mirror } from "./mirror.ts";

export type Drawing = {
  readonly ask: ServerClient;
  readonly mirror: Mirror;
  readonly run: RunId;
  readonly epoch: number;
};

const PATIENCE = 60_000; // milliseconds

/** A project for beginning this run: other workers begin runs of the repository at the same time, and no two get the same branch or number. */
export function withDrawnNames(project: PlacedProject, { ask, mirror, run, epoch }: Drawing): PlacedProject {
  const { vcs, ids } = project;
  const draw = async (name: string): Promise<boolean> => {
    const path = `/api/worker/runs/${run}/names`;
    return (await ask({ method: "POST", path, body: { epoch, name }, answer: NameAnswer, patience: PATIENCE })).drawn;
  };
  return {
    ...project,
    newRunId: () => run,
    vcs: {
      ...vcs,
      branchExists: async (name) =>
        (await vcs.branchExists(name)) || mirror.tip(name) !== null || !(await draw(`refs/heads/${name}`)),
    },
    ids: { ...ids, reserve: async (name) => (await ids.reserve(name)) && (await draw(name)) },
  };
}
