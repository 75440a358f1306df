import type { Command, Outcome, PersonCommand, Report } from "../../src/core/command.ts";
import type { Next } from "../../src/core/next.ts";
import type { RunState, Stage, Wait } from "../../src/core/run.ts";
import { Step } from "../../src/schema/event.ts";
import { ada, failed, good, goodAnswer, robot, start } from "./run-builder.ts";
import { claim, gateAnswer } from "./run-scripts.ts";

/** History of a script, used to create outdated commands. */
export type Past = {
  readonly state: RunState;
  readonly now: Next;
  /** Accepted reports: a repetition of each is late. */
  readonly reports: readonly Report[];
  /** Closed waits. */
  readonly waits: readonly Wait[];
  /** Redos of the current phase, counted from the journal. */
  readonly redos: number;
};

export type Forbidden = { readonly what: string; readonly command: Command };

/** Lists commands of each kind that must be refused now. */
export function forbiddenCommands(past: Past): readonly Forbidden[] {
  return [
    ...past.reports.slice(-12).map((command) => ({ what: "a report delivered twice", command })),
    ...past.waits
      .slice(-6)
      .flatMap((wait) => anyAnswer(wait).map((command) => ({ what: "an answer to a closed wait", command }))),
    ...agentsAsPeople(past),
    ...wrongReports(past),
    ...wrongAnswers(past),
    ...outOfPlace(past),
    ...(past.state.is === "active" ? [{ what: "a second run", command: start() }] : []),
    { what: "a cancel without a reason", command: { do: "cancel", by: ada, reason: "  " } },
    ...(past.state.is === "active"
      ? []
      : [{ what: "a cancel after the end", command: { do: "cancel", by: ada, reason: "late" } as const }]),
  ];
}

function agentsAsPeople({ now }: Past): readonly Forbidden[] {
  const answers = now.is === "wait" ? anyAnswer(now.wait) : [];
  const unasked: readonly PersonCommand[] = [
    { do: "cancel", by: ada, reason: "done" },
    { do: "retry", wait: null, by: ada },
    { do: "skip", wait: null, by: ada },
    { do: "back", by: ada, to: "01-requirements", tree: "keep" },
  ];
  return [...answers, ...unasked].map((command) => ({
    what: "an agent as a person",
    command: { ...command, by: robot },
  }));
}

function wrongReports({ state, now, reports }: Past): readonly Forbidden[] {
  if (now.is === "wait") {
    const ticket = reports.at(-1)?.ticket ?? "run@1";
    return Step.options.map((step) => ({
      what: "a report during a wait",
      command: { do: "report", ticket, outcome: good(step) },
    }));
  }
  if (now.is === "done" || state.is !== "active") return [];
  const { ticket, step } = now;
  const stage = state.stage;
  const agentRuns = "claim" in stage && stage.claim !== null;
  const others = Step.options.filter((other) => other !== step);
  const outcomes: Outcome[] = [
    ...others.map(good),
    ...others.map(failed),
    { of: "lost", execution: "nobody" },
    ...(agentRuns || !("claim" in stage) ? [claim("x-again")] : []),
  ];
  const [attempt] = ticket.split("@");
  const wrongTickets = [`${attempt}@${state.since - 1}`, `${attempt}@${state.since + 1}`, `${attempt}`, ""];
  return [
    ...outcomes.map((outcome) => ({
      what: `a ${outcome.of} outcome that the step does not have`,
      command: { do: "report" as const, ticket, outcome },
    })),
    ...wrongTickets.map((wrong) => ({
      what: "a wrong ticket",
      command: { do: "report" as const, ticket: wrong, outcome: good(step) },
    })),
  ];
}

/** Answers to the open wait that have the wrong kind or digest, or exceed a limit. */
function wrongAnswers({ state, now, redos }: Past): readonly Forbidden[] {
  if (now.is !== "wait" || state.is !== "active") return [];
  const { wait } = now;
  const kinds = (["gate", "questions", "escalation", "sizing", "finish"] as const).filter((kind) => kind !== wait.kind);
  const otherKinds = kinds.flatMap((kind) => anyAnswer({ ...SAMPLE_WAITS[kind], id: wait.id }));
  const paused = state.stage.is === "produced" && state.stage.pausedAt !== null;
  const spent = wait.kind === "gate" && redos >= 3 ? [gateAnswer(wait, "redo")] : [];
  const again = wait.kind === "gate" && paused ? [gateAnswer(wait, "review")] : [];
  const unseen = wait.kind === "gate" ? [gateAnswer({ ...wait, digest: `${wait.digest}, and more` }, "continue")] : [];
  return [
    ...otherKinds.map((command) => ({ what: `an answer that a ${wait.kind} does not offer`, command })),
    ...spent.map((command) => ({ what: "a redo after the third", command })),
    ...unseen.map((command) => ({ what: "an answer with another summary digest", command })),
    ...again.map((command) => ({ what: "a review of a paused gate", command })),
  ];
}

const OUTSIDE_PHASES: ReadonlySet<Stage["is"]> = new Set([
  "preparing",
  "baselining",
  "rewinding",
  "accepting",
  "measuring",
  "refining",
  "finishing",
]);

/** Unrequested decisions that the current stage does not allow. */
function outOfPlace({ state }: Past): readonly Forbidden[] {
  if (state.is !== "active") return [];
  const { stage, wait } = state;
  const chosen = stage.is === "finishing" && stage.how !== null;
  const nowhere = stage.is === "preparing" || stage.is === "baselining" || stage.is === "rewinding" || chosen;
  const unreached = state.phases
    .filter((phase, index) => nowhere || index > state.index || phase.dropped)
    .map(({ rule }) => rule.key);
  const backs = [...unreached, "99-nowhere", ""].map((to) => ({
    what: "a return to a phase that the run has not reached",
    command: { do: "back", by: ada, to, tree: "keep" } as const,
  }));
  if (wait?.kind === "gate")
    return [...backs, { what: "a retry at a gate", command: { do: "retry", wait: null, by: ada } }];
  if (!OUTSIDE_PHASES.has(stage.is)) return backs;
  return [
    ...backs,
    { what: "a retry outside a phase", command: { do: "retry", wait: null, by: ada } },
    { what: "a skip outside a phase", command: { do: "skip", wait: null, by: ada } },
  ];
}

const opened = { id: "", openedAt: "" };
const SAMPLE_WAITS: { readonly [K in Wait["kind"]]: Extract<Wait, { kind: K }> } = {
  gate: { ...opened, kind: "gate", digest: "", loosened: null, failures: [] },
  questions: { ...opened, kind: "questions", questions: [] },
  escalation: { ...opened, kind: "escalation", from: "produce", reason: "", detail: "", offered: [], paths: [] },
  sizing: {
    ...opened,
    kind: "sizing",
    sizing: { recommended: "light", rationale: "", metrics: null, source: null },
  },
  budget: {
    ...opened,
    kind: "budget",
    spent: { input: 9, output: 9, usd: 9 },
    budget: { usd: 5, tokens: null },
  },
  finish: { ...opened, kind: "finish", offered: [], moved: [], standing: null },
};

/** Returns each answer possible for this kind of wait, offered or not. */
export function anyAnswer(wait: Wait): readonly PersonCommand[] {
  const named = { by: ada, wait: wait.id };
  switch (wait.kind) {
    case "gate":
      return [
        ...(["continue", "review", "redo", "loosen"] as const).map((choice) => gateAnswer(wait, choice)),
        { ...named, do: "revert", paths: ["src/x"], kept: null, tree: null },
      ];
    case "budget":
      return [goodAnswer(wait)];
    case "questions":
      return [goodAnswer(wait)];
    case "escalation":
      return [
        { ...named, do: "retry" },
        { ...named, do: "skip" },
        { ...named, do: "accept", tests: null },
      ];
    case "sizing":
      return (["accept", "light", "standard"] as const).map((choice) => ({ ...named, do: "size", choice }));
    case "finish":
      return (["merge", "squash", "pr", "keep"] as const).map((how) => ({ ...named, do: "finish", how }));
    default:
      return wait satisfies never;
  }
}
