// Independent checker of a storm. It imports nothing of the product and reads three things only: the git remote, the lines
// of the database and the storm's own log. Every problem is a sentence; an empty list means that nothing was lost,
// doubled, skipped or stuck.
//
// Usage: node check-storm.mjs <remote> <evidence.json>
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ run: string, seq: number, line: string, sender_kind: string, sender: string }} Decision
 * @typedef {{ run: string, wait: string, kind: string, option: string, by: string }} Answer an answer that the server acknowledged
 * @typedef {{ wanted: Record<string, number>, hits: Record<string, number> }} Faults planned faults, and those that hit a
 *   process with a lease
 * @typedef {{ took: number[], most: number, atLeast: number }} Takeovers milliseconds of each; the most at p99; the number
 *   that the storm must have reached
 * @typedef {{ runs: string[], decisions: Decision[], answers: Answer[], pushes: string[], leftovers: string[] }} Evidence
 *   `runs`: ids that the server acknowledged; `pushes`: commits that people pushed to main; `leftovers`: processes and
 *   folders that exist after the storm
 * @typedef {{ type: string, sender: string } & Record<string, any>} Event
 */

/** @param {string} remote @param {Evidence} evidence @returns {string[]} */
export function checkStorm(remote, evidence) {
  const git = (/** @type {string[]} */ ...args) => execFileSync("git", args, { cwd: remote, encoding: "utf8" });
  const onMain = new Set(git("rev-list", "refs/heads/main").split("\n"));
  const journals = readJournals(evidence.decisions);
  const all = [...new Set([...evidence.runs, ...journals.keys()])];
  return [
    ...evidence.pushes
      .filter((commit) => !onMain.has(commit))
      .map((commit) => `lost: the pushed commit ${commit} is not on main`),
    ...all.flatMap((run) => checkRun(run, journals.get(run) ?? { events: [], problems: [] }, { evidence, onMain })),
    ...unrecordedMerges(git, journals),
    ...doubledAttempts(git),
    ...fileLocks(remote).map((path) => `left behind: ${path}`),
    ...evidence.leftovers.map((what) => `left behind: ${what}`),
  ];
}

/** @param {Faults} faults @returns {string[]} */
export const checkFaults = ({ wanted, hits }) =>
  Object.entries(wanted)
    .filter(([kind, count]) => (hits[kind] ?? 0) < count)
    .map(([kind, count]) => `faults: ${kind} hit a process with a lease ${hits[kind] ?? 0} times, not ${count}`);

/** @param {Takeovers} takeovers @returns {string[]} */
export function checkTakeovers({ took, most, atLeast }) {
  const p99 = takeoverP99(took);
  return [
    ...(took.length < atLeast ? [`takeovers: ${took.length} were measured, not ${atLeast}`] : []),
    ...(p99 > most ? [`takeovers: p99 of ${took.length} is ${Math.round(p99)} ms, more than ${most} ms`] : []),
  ];
}

/** @param {number[]} took @returns {number} */
export const takeoverP99 = (took) => took.toSorted((a, b) => a - b)[Math.ceil(took.length * 0.99) - 1] ?? 0;

/** @param {Decision[]} decisions @returns {Map<string, { events: Event[], problems: string[] }>} */
function readJournals(decisions) {
  const journals = new Map();
  for (const { run, seq, line, sender_kind: sender } of decisions.toSorted((a, b) => a.seq - b.seq)) {
    const journal = journals.get(run) ?? { events: [], problems: [], hash: sha256(`isdlc journal ${run}`) };
    journals.set(run, journal);
    const cut = line.lastIndexOf(',"h":"');
    const hash = sha256(`${journal.hash}\n${line.slice(0, cut)}}`);
    if (!line.startsWith(`,"h":"${hash}"`, cut)) journal.problems.push(`${run}: the chain is broken at ${seq}`);
    if (seq !== journal.events.length + 1) journal.problems.push(`${run}: a gap or a double before event ${seq}`);
    journal.hash = hash;
    for (const event of JSON.parse(line).events) journal.events.push({ ...event, sender });
  }
  return journals;
}

/** @param {string} run @param {{ events: Event[], problems: string[] }} journal */
function checkRun(run, { events, problems }, { evidence, onMain }) {
  const answers = evidence.answers.filter((answer) => answer.run === run);
  return [
    ...problems,
    ...checkEnd(run, events),
    ...checkAnswers(run, events, answers),
    ...checkDecisions(run, events),
    ...checkExecutions(run, events),
    ...events.flatMap(({ type, merged }) =>
      type === "run.finished" && merged !== null && !onMain.has(merged)
        ? [`lost: the merge ${merged} of ${run} is not on main`]
        : [],
    ),
  ];
}

function checkEnd(run, events) {
  const ends = events.filter(({ type }) => type === "run.finished" || type === "run.cancelled");
  if (ends.length === 0) return [`stuck: ${run} has not ended (${events.at(-1)?.type ?? "nothing recorded"})`];
  return ends.length === 1 && events.at(-1) === ends[0]
    ? []
    : [`doubled: ${run} ended ${ends.length} times or went on after its end`];
}

/** Acknowledged answers are recorded, each once. An answer at the end of a run names no wait: it is counted. */
function checkAnswers(run, events, answers) {
  const recorded = events
    .filter(({ type }) => type === "gate.answered" || type === "step.answered")
    .map(({ wait }) => wait);
  const doubled = recorded.filter((wait, index) => recorded.indexOf(wait) !== index);
  const gates = answers.filter(({ kind }) => kind === "gate");
  const chosen = events.filter(({ type, by }) => type === "finish.chosen" && by !== "engine").length;
  const asked = events.filter(({ type }) => type === "finish.asked").length;
  const finishes = new Set(answers.filter(({ kind }) => kind === "finish").map(({ wait }) => wait)).size;
  const acknowledged = gates.map(({ wait }) => wait);
  return [
    ...doubled.map((wait) => `doubled: ${run} records two answers to ${wait}`),
    ...acknowledged
      .filter((wait, index) => acknowledged.indexOf(wait) !== index)
      .map((wait) => `doubled: two answers to ${wait} of ${run} were acknowledged`),
    ...gates
      .filter(({ wait, option, by }) => !isRecorded(events, { wait, option, by }))
      .map(({ wait, option, by }) => `lost: the answer "${option}" of ${by} to ${wait} of ${run}`),
    ...(chosen < finishes
      ? [`lost: ${finishes} answers at the end of ${run} were acknowledged, ${chosen} are recorded`]
      : []),
    ...(chosen > asked ? [`doubled: ${run} asked ${asked} times how to end and records ${chosen} answers`] : []),
  ];
}

const isRecorded = (events, { wait, option, by }) =>
  events.some(
    (event) =>
      event.type === "gate.answered" &&
      event.wait === wait &&
      event.choice === option &&
      event.by?.name === by &&
      event.sender === "person",
  );

/** Every phase is accepted after a person answered its gate, and a merge follows a person's answer. */
const checkDecisions = (run, events) => [...checkPhases(run, events), ...checkMerge(run, events)];

function checkPhases(run, events) {
  const problems = [];
  let isAnswered = false;
  for (const { type, choice, sender } of events) {
    if (type === "gate.answered" && choice === "continue" && sender === "person") isAnswered = true;
    if (type === "phase.accepted" && !isAnswered)
      problems.push(`skipped: a phase of ${run} was accepted without a person's answer`);
    if (type === "gate.opened" || type === "phase.accepted") isAnswered = false;
    if (type === "phase.skipped" && sender !== "person") problems.push(`skipped: a phase of ${run} by ${sender}`);
  }
  return problems;
}

function checkMerge(run, events) {
  const isMerged = events.some(({ type, merged }) => type === "run.finished" && merged !== null);
  const answer = events.findLast(({ type }) => type === "finish.chosen");
  const isChosen = answer?.sender === "person" && (answer.how === "merge" || answer.how === "squash");
  return isMerged && !isChosen ? [`skipped: ${run} was merged without a person's answer`] : [];
}

/** Every execution of an agent that a run records was claimed once and has one end. */
function checkExecutions(run, events) {
  const started = events.flatMap(({ type, claim }) => (type === "execution.started" ? [claim.execution] : []));
  const ended = events.flatMap(({ type, execution }) => (type === "execution.ended" ? [execution] : []));
  return [...new Set([...started, ...ended])].flatMap((execution) => {
    const [starts, ends] = [started, ended].map((all) => all.filter((one) => one === execution).length);
    if (starts === 1 && ends === 1) return [];
    return [`doubled: the execution ${execution} of ${run} was started ${starts} times and ended ${ends} times`];
  });
}

/** Each attempt of a phase is committed once. */
function doubledAttempts(git) {
  const log = git("log", "--format=%(trailers:key=Isdlc-Attempt,valueonly,separator=%x2C)", "refs/heads/main");
  const attempts = log.split("\n").filter((attempt) => attempt !== "");
  const doubled = attempts.filter((attempt, index) => attempts.indexOf(attempt) !== index);
  return [...new Set(doubled)].map((attempt) => `doubled: ${attempt} is on main twice`);
}

/** Merges on main name their run: each is recorded by it, and no run has two. */
function unrecordedMerges(git, journals) {
  const log = git("log", "--format=%H %(trailers:key=Isdlc-Run,valueonly,separator=%x2C)", "refs/heads/main");
  const merges = log
    .split("\n")
    .flatMap((line) => (line.includes(" ") && line.split(" ")[1] !== "" ? [line.split(" ")] : []));
  return merges.flatMap(([commit, run], index) => {
    const recorded = journals.get(run)?.events.some(({ type, merged }) => type === "run.finished" && merged === commit);
    const isSecond = merges.findIndex(([, other]) => other === run) !== index;
    return [
      ...(recorded ? [] : [`doubled: the merge ${commit} on main is not recorded by ${run}`]),
      ...(isSecond ? [`doubled: ${run} was merged twice`] : []),
    ];
  });
}

/** Lock files that git left in the remote. */
const fileLocks = (remote) =>
  readdirSync(remote, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".lock"))
    .map((path) => join(remote, path));

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , remote = "", file = ""] = process.argv;
  const problems = checkStorm(remote, JSON.parse(readFileSync(file, "utf8")));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
