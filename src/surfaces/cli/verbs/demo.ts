import { personAnswers, scriptAnswers } from "../demo/answers.ts";
import { closing } from "../demo/closing.ts";
import { createNarrator } from "../demo/narrator.ts";
import { createPrivateEnvironment, enterEnvironment } from "../demo/private-environment.ts";
import { createSampleProject, fillSample, type SampleProject, recordingFile } from "../demo/sample.ts";
import { continueRun, type UserInterface } from "../terminal/continue-run.ts";
import type { Io } from "../invocation/io.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import type { RunAgents } from "../../../schema/run-agents.ts";
import { withSignals } from "../invocation/signals.ts";
import { startRun } from "../terminal/start-run.ts";
import { runRequest } from "../grammar/run-request.ts";
import { flag, type Invocation, type Result, type Run } from "../invocation/verb.ts";

const TITLE = "Percentage discount with a cap";

/** Runs the complete supervised flow in a temporary project. Only the agent is replaced, by a recording. */
export const demo: Run = (invocation) =>
  withSignals(async () => {
    const place = createSampleProject();
    if (flag(invocation.values, "keep")) place.keep();
    try {
      return await play(invocation, place);
    } finally {
      place.remove();
    }
  });

async function play(invocation: Invocation, place: SampleProject): Promise<Result> {
  const env = createPrivateEnvironment(place.folder, invocation.env);
  enterEnvironment(env);
  await fillSample(place.root, env);
  const { io } = invocation;
  const json = flag(invocation.values, "json");
  const values = { supervised: true, tests: "trust", json };
  const staged = { ...invocation, values, cwd: place.root, env, io: json ? silent(io) : io };
  const project = openProject(place.root, env);
  const asks = io.interactive && !flag(invocation.values, "yes");
  for (const line of openingLines(place.root, asks)) staged.io.out(line);
  const request = runRequest(staged, { workflow: "feature", title: TITLE, by: { name: "demo", channel: "script" } });
  const wishes = { ...request.wishes, agents: recordedAgents(io), acceptsSize: true }; // the first question is a gate
  await startRun(staged, project, { ...request, wishes });
  const result = await continueRun(staged, project, demoInterface(staged, project, asks));
  const { state } = await currentRun(project);
  const isLeft = asks && state.is !== "ended";
  if (isLeft) place.keep();
  const kept = isLeft || flag(invocation.values, "keep") ? place : null;
  return closing({ state, result, mayLeave: asks, kept });
}

/** Replays the pauses only for a user at a terminal. */
function recordedAgents({ interactive }: Io): RunAgents {
  const replay = { name: "replay", argv: [recordingFile(), interactive ? "1" : "Infinity"] };
  return { phase: replay, reviewer: replay };
}

const demoInterface = (invocation: Invocation, project: LocalProject, asks: boolean): UserInterface => ({
  view: createNarrator(invocation.io, project),
  answer: asks ? personAnswers(invocation) : scriptAnswers(invocation.io.out),
});

const openingLines = (root: string, asks: boolean): string[] => [
  `A small shop, made for this demo in ${root}, gets a feature: "${TITLE}".`,
  "The agent is a recording (replay): no model, no key, no network. Everything else is real.",
  asks
    ? "You answer at the gates. Nothing here touches your own projects or settings."
    : "A script answers at the gates.",
];

const silent = (io: Io): Io => ({ ...io, out: () => undefined, err: () => undefined });
