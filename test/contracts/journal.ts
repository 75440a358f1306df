import { describe, expect, test } from "vitest";
import type { Command, Decision } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { ProblemError } from "../../src/core/problem.ts";
import type { Decide, Journal } from "../../src/ports/journal.ts";
import { begin, end, lastMark, mark, marksIn, NEXT_RUN, prepared, RUN } from "../journal-file/sample-commands.ts";

/** A place for journals, initially empty. Opened twice, it behaves like two processes. */
export type JournalHome = { open(decide: Decide): Journal | Promise<Journal> };

/** Requirements of every journal, for any storage. */
export function describeJournal(name: string, newHome: () => JournalHome | Promise<JournalHome>): void {
  const openOne = async (by: Decide = decide): Promise<Journal> => await (await newHome()).open(by);
  const openTwo = async (): Promise<readonly [Journal, Journal]> => {
    const home = await newHome();
    return [await home.open(decide), await home.open(decide)];
  };
  describe(name, () => {
    describeRecords(openOne);
    describeRaces(openTwo);
    describeChanges(openTwo);
  });
}

function describeRecords(open: (by?: Decide) => Promise<Journal>): void {
  test("returns no run before the first one", async () => {
    const journal = await open();
    expect([await journal.newest(), await journal.current()]).toEqual([null, null]);
    expect(await journal.load(RUN)).toMatchObject({ state: { is: "none" }, head: { seq: 0 } });
    expect(await journal.events(RUN)).toEqual([]);
  });

  test("records decisions in order, numbered from 1 without gaps", async () => {
    const journal = await open();
    const created = await journal.create(RUN, begin(RUN));
    const submitted = await journal.submit(RUN, mark("a"));
    expect(created).toMatchObject({ ok: true, head: { seq: 1 } });
    expect(submitted).toMatchObject({ ok: true, head: { seq: 2 }, events: [{ seq: 2, type: "agents.changed" }] });
    expect((await journal.events(RUN)).map((event) => event.seq)).toEqual([1, 2]);
    expect(await journal.load(RUN)).toEqual({ state: submitted.state, head: submitted.head });
    expect(await journal.newest()).toBe(RUN);
  });

  test("records a decision of several events completely and returns the same events", async () => {
    const journal = await open(twice);
    await journal.create(RUN, begin(RUN));
    const submitted = await journal.submit(RUN, mark("a"));
    expect(submitted).toMatchObject({ ok: true, head: { seq: 3 }, events: [{ seq: 2 }, { seq: 3 }] });
    const events = await journal.events(RUN);
    expect(submitted.ok && submitted.events).toEqual(events.slice(1));
  });

  test("changes the head's hash with every decision and run", async () => {
    const journal = await open();
    const hashes = [(await journal.load(RUN)).head.hash, (await journal.load(NEXT_RUN)).head.hash];
    hashes.push((await journal.create(RUN, begin(RUN))).head.hash);
    for (const name of ["a", "a", "b"]) hashes.push((await journal.submit(RUN, mark(name))).head.hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("writes nothing for a refusal and returns it", async () => {
    const journal = await open();
    await journal.create(RUN, begin(RUN));
    const before = await journal.load(RUN);
    const submitted = await journal.submit(RUN, wordless);
    expect(submitted).toEqual({ ok: false, ...before, refusal: { why: "reasonMissing" } });
    expect(await journal.load(RUN)).toEqual(before);
  });

  test("writes nothing for an acceptance without events", async () => {
    const journal = await open(nothingButStarts);
    await journal.create(RUN, begin(RUN));
    const before = await journal.load(RUN);
    expect(await journal.submit(RUN, mark("a"))).toEqual({ ok: true, ...before, events: [] });
    expect(await journal.load(RUN)).toEqual(before);
  });

  test("refuses a second run until the first one ends", async () => {
    const journal = await open();
    await journal.create(RUN, begin(RUN));
    const tooEarly = await journal.create(NEXT_RUN, begin(NEXT_RUN));
    expect(tooEarly).toMatchObject({ ok: false, refusal: { why: "runActive", run: RUN } });
    await journal.submit(RUN, end);
    expect(await journal.newest()).toBe(RUN);
    expect(await journal.create(NEXT_RUN, begin(NEXT_RUN))).toMatchObject({ ok: true });
    expect(await journal.newest()).toBe(NEXT_RUN);
    expect(await journal.current()).toEqual({ run: NEXT_RUN, ...(await journal.load(NEXT_RUN)) });
    expect((await journal.load(RUN)).state.is).toBe("ended");
    expect(await journal.events(RUN)).toHaveLength(2);
  });

  test("refuses decisions and a restart after the end of a run", async () => {
    const journal = await open();
    await journal.create(RUN, begin(RUN));
    const ended = await journal.submit(RUN, end);
    const refused = { ok: false, head: ended.head, refusal: { why: "runEnded", how: "cancelled" } };
    expect(await journal.submit(RUN, mark("late"))).toMatchObject(refused);
    expect(await journal.create(RUN, begin(RUN))).toMatchObject(refused);
  });

  test("refuses to create an open run again", async () => {
    const journal = await open();
    const { head } = await journal.create(RUN, begin(RUN));
    const again = await journal.create(RUN, begin(RUN));
    expect(again).toMatchObject({ ok: false, head, refusal: { why: "runActive", run: RUN } });
  });

  test("refuses a decision about a missing run", async () => {
    expect(await (await open()).submit(RUN, mark("a"))).toMatchObject({
      ok: false,
      head: { seq: 0 },
      refusal: { why: "noRun" },
    });
    const lenient = await open(nothingButStarts);
    await expect(lenient.submit(RUN, mark("a"))).rejects.toThrow(ProblemError);
    expect(await lenient.newest()).toBeNull();
  });
}

/** Refused in every state. */
const wordless: Command = { do: "cancel", by: { name: "ada", channel: "terminal" }, reason: " " };

const twice: Decide = (state, command): Decision => {
  const decision = decide(state, command);
  if (!decision.ok || command.do === "start") return decision;
  return { ...decision, events: [...decision.events, ...decision.events] };
};

const nothingButStarts: Decide = (state, command): Decision =>
  command.do === "start" ? decide(state, command) : { ok: true, events: [] };

function describeRaces(openTwo: () => Promise<readonly [Journal, Journal]>): void {
  test("shares decisions between two processes", async () => {
    const [one, other] = await openTwo();
    await one.create(RUN, begin(RUN));
    const submitted = await one.submit(RUN, mark("a"));
    expect(await other.newest()).toBe(RUN);
    expect(await other.load(RUN)).toEqual({ state: submitted.state, head: submitted.head });
    await other.submit(RUN, end);
    expect(await one.submit(RUN, mark("b"))).toMatchObject({ ok: false, refusal: { why: "runEnded" } });
  });

  test("accepts one of ten equal answers given concurrently", async () => {
    const [one, other] = await openTwo();
    const { state } = await one.create(RUN, begin(RUN));
    const tries = Array.from({ length: 10 }, (_, number) => (number % 2 === 0 ? one : other));
    const answers = await Promise.all(tries.map((journal) => journal.submit(RUN, prepared(state))));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const refusals = answers.flatMap((answer) => (answer.ok ? [] : [answer.refusal.why]));
    expect(new Set(refusals)).toEqual(new Set(["lateOutcome"]));
    expect((await one.load(RUN)).head.seq).toBe(2);
  });

  test("accepts one of two runs started concurrently", async () => {
    const [one, other] = await openTwo();
    const starts = await Promise.all([one.create(RUN, begin(RUN)), other.create(NEXT_RUN, begin(NEXT_RUN))]);
    expect(starts.filter(({ ok }) => ok)).toHaveLength(1);
    const begun = starts[0].ok ? RUN : NEXT_RUN;
    expect(starts.find(({ ok }) => !ok)).toMatchObject({ refusal: { why: "runActive", run: begun } });
    expect([await one.newest(), await other.newest()]).toEqual([begun, begun]);
  });

  test("keeps each of many concurrent decisions exactly once", async () => {
    const [one, other] = await openTwo();
    await one.create(RUN, begin(RUN));
    const names = Array.from({ length: 40 }, (_, number) => `m${number}`);
    const all = names.map((name, number) => (number % 3 === 0 ? other : one).submit(RUN, mark(name)));
    const numbers = (await Promise.all(all)).map(({ head }) => head.seq);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(names.map((_, index) => index + 2));
    const events = await other.events(RUN);
    expect(events.map(({ seq }) => seq)).toEqual([1, ...names.map((_, index) => index + 2)]);
    expect(marksIn(events).toSorted()).toEqual(names.toSorted());
    expect(await one.load(RUN)).toEqual(await other.load(RUN));
  });
}

function describeChanges(openTwo: () => Promise<readonly [Journal, Journal]>): void {
  test("reports a change, even one made before the call", async () => {
    const [journal] = await openTwo();
    await journal.create(RUN, begin(RUN));
    const waiting = journal.changed(RUN, new AbortController().signal);
    await journal.submit(RUN, mark("a"));
    await waiting;
    expect(lastMark((await journal.load(RUN)).state)).toBe("a");
  });

  test("reports a change by another process", async () => {
    const [one, other] = await openTwo();
    await one.create(RUN, begin(RUN));
    await other.load(RUN);
    const waiting = other.changed(RUN, new AbortController().signal);
    await one.submit(RUN, mark("a"));
    await waiting;
    expect(lastMark((await other.load(RUN)).state)).toBe("a");
  });

  test("stops waiting when aborted", async () => {
    const [journal] = await openTwo();
    await journal.create(RUN, begin(RUN));
    const stop = new AbortController();
    let resolved = false;
    const waiting = journal.changed(RUN, stop.signal).then(() => (resolved = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(resolved).toBe(false);
    stop.abort();
    await waiting;
    await journal.changed(RUN, AbortSignal.abort());
  });
}
