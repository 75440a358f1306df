// Forges the journal of the run.
import { createHash, createHmac } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { note, play } from "./rogue.mjs";

const folder = ".isdlc/journal";
const file = () =>
  join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".jsonl")),
  );
const contentsBelow = (top) =>
  readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]);
const lines = () => readFileSync(file(), "utf8").split("\n").filter(Boolean);
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Records that the engine would write until the gate is answered with Continue. */
function forgedRecord(task, key) {
  const { h: previous, m: _mark, ...last } = JSON.parse(lines().at(-1));
  const by = { name: "the person", channel: "terminal" };
  const made = { summary: "fine", decisions: [], artifacts: [], changed: null, changedSinceSeen: null, unexpected: [] };
  const found = { tree: null, checks: [], issues: [], approved: true, concerns: [], testsChanged: null, lines: 0 };
  const wait = `${task.attempt}/gate-${last.seq + last.events.length + 4}`;
  const events = [
    { type: "execution.ended", execution: `${task.attempt}.1`, how: "done", reason: null, usage: null, session: null },
    { type: "draft.produced", summary: "fine", decisions: [], artifacts: [] },
    { type: "checks.passed", results: [], testsChanged: null, leadsTo: "complete" },
    { type: "phase.completed", made: { ...made, ...found }, settings: { is: "absent" } },
    { type: "gate.opened", digest: "", loosened: null, failures: [] },
    { type: "gate.answered", wait, choice: "continue", by, guidance: null, shown: "" },
  ];
  const body = JSON.stringify({ ...last, seq: last.seq + last.events.length, at: new Date().toISOString(), events });
  const hash = sha256(`${previous}\n${body}`);
  const mark = createHmac("sha256", key).update(hash).digest("hex").slice(0, 32);
  return `${body.slice(0, -1)},"h":"${hash}","m":"${mark}"}\n`;
}

process.on("SIGTERM", () => undefined); // the driver notices at once and would end it before its record

await play({
  unsigned: (task) => {
    appendFileSync(file(), forgedRecord(task, "no key"));
    note("unsigned", { lines: lines().length });
  },
  signed: (task) => {
    if (task.phase !== "00-quick-scan") return {};
    const key = readFileSync(join(process.env.XDG_STATE_HOME, "isdlc/key"));
    appendFileSync(file(), forgedRecord(task, key));
    note("signed", { lines: lines().length });
    return {};
  },
  cut: () => {
    const kept = lines().slice(0, -1);
    writeFileSync(file(), kept.map((line) => `${line}\n`).join(""));
    note("cut", { lines: kept.length });
  },
  rewrite: () => {
    const [first, ...others] = lines();
    writeFileSync(
      file(),
      [first.replace('"enabled":true', '"enabled":false'), ...others].map((line) => `${line}\n`).join(""),
    );
    note("rewrite", { first: lines()[0] });
  },
  remove: () => {
    rmSync(folder, { recursive: true });
    note("remove");
  },
  elsewhere: (task) => {
    if (task.phase !== "01-requirements") return;
    const other = join("../other", folder);
    const [name] = readdirSync(other).filter((found) => found.endsWith(".jsonl"));
    cpSync(join(other, name), join(folder, name));
    note("elsewhere", { name });
  },
  blockState: () => {
    rmSync(".isdlc/state.json", { recursive: true, force: true });
    mkdirSync(".isdlc/state.json/in-the-way", { recursive: true });
    note("blockState");
  },
  linkRuns: () => {
    const behind = resolve("../behind");
    mkdirSync(behind);
    rmSync(".isdlc/runs", { recursive: true, force: true });
    symlinkSync(behind, ".isdlc/runs");
    note("linkRuns");
  },
  link: () => {
    const elsewhere = resolve("../elsewhere");
    cpSync(".isdlc", elsewhere, { recursive: true });
    renameSync(".isdlc", "../kept-isdlc");
    symlinkSync(elsewhere, ".isdlc");
    note("link", { contents: contentsBelow(elsewhere) });
  },
});
