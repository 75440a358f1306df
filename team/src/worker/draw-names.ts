import type { ServerClient } from "../../../src/adapters/remote/server-client.ts";
import type { PlacedProject } from "../../../src/compose/project.ts";
import { NameAnswer } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";

export type NameRequest = {
  readonly ask: ServerClient;
  readonly run: RunId;
  readonly epoch: number;
};

const DRAW_TIMEOUT_MS = 60_000; // milliseconds

/**
 * Returns a project that reserves numbers at the server, because workers start runs of the same repository
 * concurrently. The server draws the branch.
 */
export function withDrawnNames(project: PlacedProject, { ask, run, epoch }: NameRequest): PlacedProject {
  const { ids } = project;
  const draw = async (name: string): Promise<boolean> => {
    const path = `/api/worker/runs/${run}/names`;
    return (await ask({ method: "POST", path, body: { epoch, name }, answer: NameAnswer, patience: DRAW_TIMEOUT_MS }))
      .drawn;
  };
  return {
    ...project,
    newRunId: () => run,
    ids: { ...ids, reserve: async (name) => (await ids.reserve(name)) && (await draw(name)) },
  };
}
