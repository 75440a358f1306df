import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSandbox, type Json, parsed, type Sandbox } from "../../support/cli.ts";
import { type Dice, rollDice } from "../../support/dice.ts";

const KILLS = 50;
const MAX_STEPS = 200;
const SEED = Number(process.env["SEED"] ?? 20_261_115);
const PHASES = [
  "01-requirements",
  "02-tracing",
  "05-test-strategy",
  "06-implementation",
  "16-quality-loop",
  "08-code-review",
];

test(`finishes each run once if it is killed ${KILLS} times, seed ${SEED} [R1, R10, R11]`, async () => {
  const sandbox = await createSandbox();
  const dice = rollDice(SEED);
  const ended: Json[] = [];
  let kills = 0;
  for (let round = 0; kills < KILLS || ended.length === 0; round++) {
    expect(round).toBeLessThan(40);
    const writes = { "src/fix.txt": `fixed ${round}\n` }; // the same content as on main would leave nothing to commit
    sandbox.plan({ always: { delay: 60 }, turns: { "06-implementation": [{ writes }] } });
    kills += await playRun(sandbox, { dice, earlier: ended.map(({ id }) => id as string) }, KILLS - kills);
    ended.push(await lastRun(sandbox));
    await expectOnce(sandbox, ended.length);
    sandbox.git("reset", "--quiet", "--hard", "main");
  }
  expect(kills).toBe(KILLS);
  await expect.poll(() => processesNaming(sandbox.base)).toEqual([]); // the kernel may need a moment
  expect(new Set(ended.map(({ id }) => id as string)).size).toBe(ended.length);
});

type Play = { readonly dice: Dice; readonly earlier: readonly string[] };

/** Starts a run and continues it to its merge, with up to `most` kills. Returns the number of kills. */
async function playRun(sandbox: Sandbox, { dice, earlier }: Play, most: number): Promise<number> {
  let kills = 0;
  const told: string[] = [];
  for (let steps = 0; ; steps++) {
    expect(steps, told.slice(-3).join("\n")).toBeLessThan(MAX_STEPS);
    const run = await sandbox.status();
    if (run === null && steps > 0 && (await hasEnded(sandbox, earlier))) return kills;
    const verb = nextVerb(sandbox, run, dice);
    const { child, ended } = sandbox.start(verb, { ISDLC_OPERATOR_TOKEN: sandbox.token });
    if (kills < most) {
      const killed = await Promise.race([ended.then(() => false), delay(dice.number() % 600).then(() => true)]);
      if (killed) {
        kills++;
        const family = dice.chance(50) ? descendants(child.pid ?? 0) : [];
        for (const pid of [child.pid ?? 0, ...family]) kill(pid);
      }
    }
    const { stderr } = await ended;
    told.push(`${verb.join(" ")}\n${stderr}`);
    expect(stderr).not.toMatch(/\n {4}at /);
    if (run === null) makeWay(stderr);
  }
}

function nextVerb(sandbox: Sandbox, run: Json, dice: Dice): string[] {
  if (run === null) return ["fix", "wrong greeting", "--supervised", ...sandbox.agent];
  const { waiting } = run;
  if (waiting === null) return ["resume", ...sandbox.agent];
  switch (waiting.kind) {
    case "gate":
      if (waiting.options.includes("redo") && dice.chance(10)) return ["redo", "again", "--wait", waiting.id];
      return dice.chance(15) && !waiting.paused ? ["review", "--wait", waiting.id] : ["continue", "--wait", waiting.id];
    case "finish":
      return ["answer", "merge", "--wait", waiting.id];
    default:
      removeLocks(waiting.detail);
      return ["retry", "--wait", waiting.id];
  }
}

/** Removes the obstacle reported by a start. */
function makeWay(told: string): void {
  if (told.includes("GIT_FAILED")) removeLocks(told);
}

/** A killed git process leaves its locks, and the next one names them. */
function removeLocks(detail: string): void {
  const locks = [...detail.matchAll(/'([^']+\.lock)'/g)].map(([, path = ""]) => path);
  expect(locks, detail).not.toEqual([]);
  for (const path of locks) rmSync(path, { force: true });
}

/** If a start was killed before it opened a run, the newest run is an earlier one. */
async function hasEnded(sandbox: Sandbox, earlier: readonly string[]): Promise<boolean> {
  const events = await sandbox.events();
  const run: unknown = events.find((event) => event.type === "run.started")?.run;
  return typeof run === "string" && !earlier.includes(run) && events.at(-1)?.type === "run.finished";
}

async function lastRun(sandbox: Sandbox): Promise<Json> {
  const [{ run } = { run: "" }] = (await sandbox.events()).filter((event) => event.type === "run.started");
  return parsed(await sandbox.script("status", "--run", run, "--json")).run;
}

/** Fails unless there is one commit per phase, one merge, and no repeated decision. */
async function expectOnce(sandbox: Sandbox, runs: number): Promise<void> {
  const events = await sandbox.events();
  const started = events.find((event) => event.type === "run.started");
  const branch = started?.git?.branch ?? "";
  const merges = sandbox.git("log", "--first-parent", "--merges", "--format=%s", "main").split("\n");
  expect(merges.filter((subject) => subject.startsWith(`Merge ${branch}:`))).toHaveLength(1);
  expect(merges).toHaveLength(runs);
  const merge = sandbox.git(
    "log",
    "-1",
    "--first-parent",
    "--format=%H",
    "--fixed-strings",
    `--grep=Merge ${branch}:`,
    "main",
  );
  const attempts = sandbox
    .git(
      "log",
      "--format=%(trailers:key=Isdlc-Attempt,valueonly,separator=%x2C)",
      `${started?.git?.commit}..${merge}^2`,
    )
    .split("\n")
    .map((attempt) => attempt.replace(/^.*\/([^#]*).*$/, "$1"));
  expect(attempts.toReversed()).toEqual(PHASES);
  const waits = events.flatMap((event) =>
    event.type === "gate.answered" && event.choice !== "review" ? [event.wait] : [],
  );
  expect(new Set(waits).size).toBe(waits.length);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  for (const type of ["run.started", "finish.chosen", "run.finished"])
    expect(events.filter((event) => event.type === type)).toHaveLength(1);
  expect(events.filter(({ type }) => type === "phase.committed")).toHaveLength(PHASES.length);
  const { workflow_history } = sandbox.json(".isdlc/state.json");
  expect(workflow_history).toHaveLength(runs);
  expect(existsSync(join(sandbox.root, ".isdlc/active"))).toBe(false);
  expect(parsed(await sandbox.script("verify-journal", "--json")).ok).toBe(true);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // the process ended by itself
  }
}

/** All descendants of a process, as listed by the system now. */
function descendants(pid: number): number[] {
  const children = readText(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter((text) => text !== "")
    .map(Number);
  return [...children, ...children.flatMap(descendants)];
}

const processesNaming = (text: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map((name) => readText(`/proc/${name}/cmdline`).replaceAll("\0", " "))
    .filter((command) => command.includes(text));

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
