import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { itemProject, openProject } from "../../src/compose/project.ts";
import type { Result, Values } from "../../src/surfaces/cli/invocation/verb.ts";
import { history } from "../../src/surfaces/cli/verbs/history.ts";
import { gate } from "../../src/surfaces/cli/verbs/look.ts";
import { statusAll } from "../../src/surfaces/cli/verbs/status-all.ts";
import { status } from "../../src/surfaces/cli/verbs/status.ts";
import { writeProjections } from "../../src/engine/write-projections.ts";
import { begin as beginJournal } from "../journal-file/sample-commands.ts";
import {
  begin,
  createRepository,
  decide,
  continueRun,
  initRepository,
  invocationFor,
  newBase,
  type TestProject,
  placeIn,
} from "../support/instant-run.ts";

const ITEM_RUN = "20261115-101500123-k3f9";

function newPlace(): TestProject {
  const base = newBase();
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const place = placeIn(base);
  initRepository(place);
  return place;
}

const treeBeside = (place: TestProject, name: string): TestProject => {
  const root = join(place.base, name);
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", root], {
    cwd: place.root,
    env: place.env,
    stdio: "pipe",
  });
  return { ...place, root };
};

/** Starts a run and returns its id at its first gate. */
async function open(place: TestProject): Promise<string> {
  const project = await begin(place, nodeFiles, {});
  await continueRun(project, createRepository());
  return project.journal.newest() ?? "";
}

async function cancelled(place: TestProject): Promise<string> {
  const run = await open(place);
  const project = openProject(place.root, place.env);
  await decide(project, "cancel");
  await continueRun(project, createRepository());
  const { state, head } = project.journal.load(run);
  expect(writeProjections(project, state, head)).toEqual([]);
  return run;
}

const verbs = { history, gate, status, statusAll } as const;

function ask(place: TestProject, verb: keyof typeof verbs, values: Values = {}): Promise<Result> {
  return verbs[verb](invocationFor(place, verb === "statusAll" ? "status" : verb, values));
}

const historyFile = (place: TestProject, run: string): string => join(place.root, ".isdlc/history", `${run}.json`);

describe("history", () => {
  test("prints that nothing happened before the first run", async () => {
    const place = newPlace();
    expect((await ask(place, "history")).lines).toEqual(["Nothing has happened here yet."]);
    expect((await ask(place, "history", { all: true })).lines).toEqual(["No run has finished here yet."]);
  });

  test("prints events of an open run, and ended runs with --all", async () => {
    const place = newPlace();
    const first = await cancelled(place);
    const second = await open(place);
    const events = await ask(place, "history");
    expect(events.lines[0]).toContain("change started by");
    expect(events.json).not.toHaveProperty("runs");
    const { lines, json } = await ask(place, "history", { all: true });
    expect(json).toMatchObject({ runs: [{ id: first, how: "cancelled", workflow: "change" }], totals: { runs: 1 } });
    expect(json).not.toHaveProperty("events");
    expect(lines.join("\n")).toContain(first);
    expect(lines.join("\n")).not.toContain(second);
  });

  test("lists ended runs without an open one, and the events of one by id", async () => {
    const place = newPlace();
    const [first, second] = [await cancelled(place), await cancelled(place)];
    const { lines, json } = await ask(place, "history");
    expect(json).toMatchObject({ runs: [{ id: first }, { id: second }] });
    expect(lines).toContain(`To show one of them: isdlc history --run ${second}`);
    const named = await ask(place, "history", { run: first });
    expect(named.lines.at(-1)).toContain("cancelled by ada");
    expect(named.json["events"]).toHaveLength(named.lines.length);
    expect(named.json["events"]).toContainEqual(expect.objectContaining({ type: "run.started", run: first }));
  });

  test("prints no unreported tokens, and never zero", async () => {
    const place = newPlace();
    await cancelled(place);
    const { json, lines } = await ask(place, "history");
    expect(json).toMatchObject({ runs: [{ metrics: { tokens: null, usd: null, attempts: 1 } }] });
    expect(lines[2]).not.toMatch(/tokens|\$/);
    expect(lines.join("\n")).toContain("tokens unknown · cost unknown");
  });

  test("includes ended analyses of items, and only those with --item", async () => {
    const place = newPlace();
    const first = await cancelled(place);
    const analysis = itemProject(openProject(place.root, place.env), "0001-login");
    await analysis.journal.create(ITEM_RUN, beginJournal(ITEM_RUN));
    const entry = { id: ITEM_RUN, type: "analyze", description: "Login", status: "completed", metrics: {} };
    mkdirSync(join(analysis.own, "history"));
    writeFileSync(join(analysis.own, "history", `${ITEM_RUN}.json`), JSON.stringify(entry));
    const all = await ask(place, "history", { all: true });
    expect(all.json["runs"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: ITEM_RUN, item: "0001-login", how: "finished" }),
        expect.objectContaining({ id: first, item: null }),
      ]),
    );
    const own = await ask(place, "history", { all: true, item: "0001-login" });
    expect(own.json).toMatchObject({ runs: [{ id: ITEM_RUN }], totals: { runs: 1 } });
  });
});

describe("damaged history files", () => {
  test.each<[string, (file: string) => void]>([
    ["garbage", (file) => writeFileSync(file, "{{{{")],
    ["empty", (file) => writeFileSync(file, "")],
    ["huge", (file) => writeFileSync(file, `{"a":"${"x".repeat(1024 * 1024)}"}`)],
    ["deep", (file) => writeFileSync(file, "[".repeat(50_000))],
    ["a link", (file) => symlinkSync("/etc/passwd", file)],
    ["a folder", (file) => mkdirSync(file)],
    ["a pipe", (file) => void execFileSync("mkfifo", [file])],
  ])("do not affect the run, which is read from its journal, or other runs: %s", async (_name, spoil) => {
    const place = newPlace();
    const [first, second] = [await cancelled(place), await cancelled(place)];
    rmSync(historyFile(place, first));
    spoil(historyFile(place, first));
    const { json } = await ask(place, "history");
    expect(json).toMatchObject({
      runs: [
        { id: first, how: "cancelled" },
        { id: second, how: "cancelled" },
      ],
    });
  });

  test("cannot change the prototype with __proto__", async () => {
    const place = newPlace();
    const first = await cancelled(place);
    writeFileSync(historyFile(place, first), `{"id":"${first}","__proto__":{"metrics":{"cost_usd":9},"polluted":1}}`);
    const { json } = await ask(place, "history");
    expect(json).toMatchObject({ runs: [{ id: first, metrics: { usd: null } }] });
    expect({}).not.toHaveProperty("polluted");
  });

  test("are listed as unreadable without a journal, and ignored under other names", async () => {
    const place = newPlace();
    const first = await cancelled(place);
    writeFileSync(historyFile(place, "20200101-000000000-zzzz"), "garbage");
    for (const name of ["x", "__proto__", "..json", `${first}.bak`]) writeFileSync(historyFile(place, name), "{}");
    const { json } = await ask(place, "history");
    expect(json).toMatchObject({ runs: [{ id: "20200101-000000000-zzzz", how: "unreadable" }, { id: first }] });
  });

  test("contain no runs if their folder is a link", async () => {
    const place = newPlace();
    const first = await cancelled(place);
    const folder = dirname(historyFile(place, first));
    rmSync(folder, { recursive: true });
    symlinkSync("/etc", folder);
    expect((await ask(place, "history")).json).toMatchObject({ runs: [], totals: { runs: 0 } });
  });
});

describe("other worktrees", () => {
  test("are listed by status --all with run and command", async () => {
    const place = newPlace();
    const beside = treeBeside(place, "be side");
    treeBeside(place, "idle");
    const [here, there] = [await cancelled(place), await open(beside)];
    const analysis = itemProject(openProject(beside.root, place.env), "0001-login");
    await analysis.journal.create(ITEM_RUN, beginJournal(ITEM_RUN));
    const { lines, json } = await ask(place, "statusAll", { all: true });
    expect(lines.join("\n").replaceAll(place.base, "BASE").replaceAll(here, "RUN-1").replaceAll(there, "RUN-2"))
      .toMatchInlineSnapshot(`
        "BASE/tree (here)
          no open run; the last was RUN-1, cancelled
        BASE/be side
          waiting · plan · RUN-2 · change: add a greeting
          isdlc -C 'BASE/be side' status
        BASE/be side, item 0001-login
          interrupted · 01-requirements · 20261115-101500123-k3f9 · feature: A title with ümlauts and a newline
          isdlc -C 'BASE/be side' status --item 0001-login
        BASE/idle
          no run"
      `);
    expect(json).toMatchObject({
      trees: [
        { path: place.root, isHere: true, run: { id: here, isOpen: false }, problem: null },
        { path: beside.root, isHere: false, item: null, run: { id: there, status: "waiting", phase: "plan" } },
        { path: beside.root, item: "0001-login", run: { id: ITEM_RUN, isOpen: true } },
        { path: join(place.base, "idle"), run: null },
      ],
    });
  });

  test("are named with a command if there is no run here, and stay unchanged", async () => {
    const place = newPlace();
    const beside = treeBeside(place, "beside");
    await expect(ask(place, "gate")).rejects.toMatchObject({ problem: { code: "NO_RUN", elsewhere: [] } });
    expect((await ask(place, "status")).json).toEqual({ ok: true, run: null });
    const run = await open(beside);
    const before = openProject(beside.root, beside.env).journal.load(run).head;
    await expect(ask(place, "gate")).rejects.toMatchObject({ problem: { code: "NO_RUN", elsewhere: [beside.root] } });
    const { lines, json } = await ask(place, "status");
    expect(lines.at(-1)).toBe(`Another working tree has one: isdlc -C ${beside.root} status`);
    expect(json).toEqual({ ok: true, run: null, elsewhere: [beside.root] });
    expect(openProject(beside.root, beside.env).journal.load(run).head).toEqual(before);
  });

  test("cause a problem only in status --all if their journal is unreadable", async () => {
    const place = newPlace();
    const beside = treeBeside(place, "beside");
    const run = await open(beside);
    writeFileSync(join(beside.root, ".isdlc/journal", `${run}.jsonl`), "garbage\ngarbage\n");
    await expect(ask(place, "gate")).rejects.toMatchObject({ problem: { elsewhere: [] } });
    expect((await ask(place, "statusAll")).json).toMatchObject({
      trees: [
        { run: null, problem: null },
        { run: null, problem: expect.stringMatching(/^JOURNAL_/) },
      ],
    });
  });
});
