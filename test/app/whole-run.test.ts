import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { updatePhaseState } from "../../src/index.ts";
import { answer, listAnswers, shownDigest } from "../../src/app/answer/answer.ts";
import { commandRun } from "../../src/app/answer/command-run.ts";
import { authorize } from "../../src/app/authorize/authorize.ts";
import { driveRun } from "../../src/app/drive/drive-run.ts";
import { currentRun } from "../../src/app/project/current-run.ts";
import type { Project } from "../../src/app/project/project.ts";
import { openRun } from "../../src/app/start/open-run.ts";
import { planRun } from "../../src/app/start/plan-run.ts";
import type { RunRequest } from "../../src/app/start/run-request.ts";
import type { ActiveRun } from "../../src/core/run.ts";
import type { Progress } from "../../src/ports/progress.ts";
import type { Person } from "../../src/schema/people.ts";
import { remove } from "../support/instant-run.ts";
import { memoryProject, type MemoryProject } from "./memory-project.ts";

const done = { status: "done", summary: "Done", decisions: [], artifacts: [], questions: [] } as const;
const says = { after: 0, say: "working" };
const approved = { approved: true, issues: [], summary: "fine" };
const write = (path: string, contents: string) => ({ after: 0, write: { path, contents } });

const CHANGE = [
  { phase: "plan", role: "phase", steps: [says, write("{item}/plan.md", "# Plan\n")], result: done },
  { phase: "implement", role: "phase", steps: [says, write("greeting.txt", "Hello\n")], result: done },
  { phase: "implement", role: "reviewer", steps: [says], verdict: approved },
  { phase: "final-review", role: "phase", steps: [says, write("{item}/final-review.md", "# Review\n")], result: done },
] as const;

function staged(executions: Parameters<typeof memoryProject>[0]): MemoryProject {
  const found = memoryProject(executions);
  onTestFinished(() => remove(found.place.base));
  return found;
}

const requestFor = ({ agents }: MemoryProject, more: Partial<RunRequest> = {}): RunRequest => ({
  workflow: "change",
  title: "add a greeting",
  usage: "",
  by: { name: "page", channel: "script" },
  decisions: {},
  wishes: { agents, isSupervised: true },
  ...more,
});

async function begin(project: Project, request: RunRequest): Promise<void> {
  const planned = await planRun(project, request);
  if (!planned.ok) throw new Error(planned.choices.flatMap(({ about }) => about).join("\n"));
  await openRun(planned.plan);
}

async function personIn({ project, token }: MemoryProject): Promise<Person> {
  const found = await authorize(project, { is: "token", token }, { verb: "answer" });
  if (!found.ok) throw new Error(found.problem.code);
  return found.person;
}

async function driven(project: Project, show: (progress: Progress) => void = () => {}): Promise<ActiveRun | null> {
  const { signal } = new AbortController();
  const rested = await driveRun(project, { signal, progress: { show }, warn: () => {} });
  return rested.state.is === "active" ? rested.state : null;
}

test("starts, answers, drives and merges a supervised run through the application alone", async () => {
  const stage = staged(CHANGE);
  const { project, place } = stage;
  await begin(project, requestFor(stage));
  const marker = join(place.root, ".isdlc/active");
  const seen: { attempt: string | null; writes: string }[] = [];
  const look = ({ at, step }: Progress): void => {
    if (at !== "says" || step !== "produce") return;
    expect(statSync(marker).size).toBeLessThanOrEqual(4096);
    seen.push(JSON.parse(readFileSync(marker, "utf8")) as (typeof seen)[number]);
  };
  expect(JSON.parse(readFileSync(marker, "utf8"))).toMatchObject({ wait: null, writes: "nothing" });
  const by = await personIn(stage);
  const answered: string[] = [];
  for (let run = await driven(project, look); run !== null; run = await driven(project, look)) {
    expect(JSON.parse(readFileSync(marker, "utf8"))).toMatchObject({ wait: run.wait?.id, writes: "nothing" });
    if (run.wait?.kind === "escalation") throw new Error(run.wait.detail);
    const [first] = listAnswers(run);
    expect(first?.effect).not.toBe("");
    answered.push(`${run.wait?.kind} ${first?.option}`);
    await answer(project, run, { by, option: first?.option ?? "", wait: run.wait?.id, shown: shownDigest(run) });
  }
  expect(answered).toEqual(["gate continue", "gate continue", "gate continue", "finish merge"]);
  expect(seen).toMatchObject([
    { attempt: "plan#1", writes: "item" },
    { attempt: "implement#1", writes: "tree" },
    { attempt: "final-review#1", writes: "item" },
  ]);
  expect((await currentRun(project)).state).toMatchObject({ is: "ended", how: "finished", finish: "merge" });
  expect(existsSync(marker)).toBe(false);
  expect(readFileSync(join(place.root, "greeting.txt"), "utf8")).toBe("Hello\n");
  const branch = execFileSync("git", ["branch", "--show-current"], { cwd: place.root, encoding: "utf8" });
  expect(branch.trim()).toBe("main");
});

test("refuses outdated and unoffered answers, and cancels a run", async () => {
  const stage = staged(CHANGE);
  const { project } = stage;
  await begin(project, requestFor(stage));
  const run = await driven(project);
  const by = await personIn(stage);
  if (run === null) throw new Error("no gate was opened");
  const shown = shownDigest(run);
  const refused = (option: string, wait: string | undefined) => answer(project, run, { by, option, wait, shown });
  await expect(refused("continue", "plan#1/gate-1")).rejects.toThrow(/is no longer open/);
  await expect(refused("merge", run.wait?.id)).rejects.toThrow();
  const { state } = await commandRun(project, run, { do: "cancel", by, reason: "enough", tree: "keep" });
  expect(state).toMatchObject({ is: "ended", how: "cancelled", reason: "enough" });
});

test("refuses decisions without a token or a terminal", async () => {
  const { project } = staged([]);
  expect(await authorize(project, { is: "terminal" }, { verb: "answer" })).toMatchObject({
    ok: false,
    problem: { code: "NEEDS_PERSON" },
  });
  expect(await authorize(project, { is: "token", token: "isdlc_guess" }, { verb: "answer" })).toMatchObject({
    ok: false,
    problem: { code: "TOKEN_REFUSED" },
  });
});

test("lists all open choices and writes nothing before the run is opened", async () => {
  const stage = staged(CHANGE);
  const { project, place } = stage;
  execFileSync("sh", ["-c", 'printf \'{"scripts":{"test":"true"}}\' > package.json; echo x >> README.md'], {
    cwd: place.root,
  });
  const planned = await planRun(project, requestFor(stage));
  expect(planned).toMatchObject({ ok: false, choices: [{ id: "dirty" }, { id: "tests" }] });
  const decided = await planRun(project, requestFor(stage, { decisions: { dirty: "allow-dirty", tests: "trust" } }));
  expect(decided.ok).toBe(true);
  expect(existsSync(join(place.root, ".isdlc"))).toBe(false);
  expect(project.trust.trusted()).toEqual([]);
  expect((await currentRun(project)).run).toBeNull();
  if (decided.ok) await openRun(decided.plan);
  expect(project.trust.trusted()).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(place.root, ".isdlc/state.json"), "utf8"))).toMatchObject({
    supervised_mode: { enabled: true },
  });
});

test("prevents others from completing phases while an agent works", async () => {
  const item = "docs/features/001-greeting";
  const result = { ...done, artifacts: ["{item}/brainstorm.md"] };
  const steps = [write("{item}/brainstorm.md", "# Ideas\n"), says];
  const stage = staged([{ phase: "brainstorm", role: "phase", steps, result }]);
  const { project, place } = stage;
  const feature = { mode: "hotfix", branch: null, worktree: null, warnings: [] } as const;
  const target = { folder: "001-greeting", phases: ["brainstorm"], analysed: [], record: {} };
  const request = requestFor(stage, { workflow: "spec", target });
  await begin(project, { ...request, feature: { ...feature, adapt: (plan) => plan } });
  const told: boolean[] = [];
  const run = await driven(project, ({ at }) => {
    if (at === "says") told.push(updatePhaseState(join(place.root, item), "brainstorm", { verified: true }));
  });
  expect(run?.wait?.kind).toBe("gate");
  expect(told).toEqual([false]);
});
