import { describe, expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { refuse } from "../../src/core/command.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { begin } from "../journal-file/sample-events.ts";
import { end, lastMark, mark, NEXT_RUN, RUN } from "../journal-file/sample-run.ts";

/** What every journal promises, whatever it is kept in. */
export function describeJournal(name: string, make: () => Journal): void {
  describe(name, () => {
    test("knows no run before the first", () => {
      const journal = make();
      expect(journal.newest()).toBeNull();
      expect(journal.load(RUN)).toMatchObject({ state: { is: "none" }, head: { seq: 0 } });
      expect(journal.events(RUN)).toEqual([]);
    });

    test("records decisions in order, with numbers from 1 and without gaps", async () => {
      const journal = make();
      const created = await journal.create(RUN, begin(RUN));
      const submitted = await journal.submit(RUN, mark("a"));
      expect(created).toMatchObject({ ok: true, head: { seq: 1 } });
      expect(submitted).toMatchObject({
        ok: true,
        head: { seq: 2 },
        events: [{ seq: 2, type: "supervision.tightened" }],
      });
      expect(journal.events(RUN).map((event) => event.seq)).toEqual([1, 2]);
      expect(journal.load(RUN)).toEqual({ state: submitted.state, head: submitted.head });
      expect(journal.newest()).toBe(RUN);
    });

    test("decides on what is really there", async () => {
      const journal = make();
      await journal.create(RUN, begin(RUN));
      const seen: string[] = [];
      const submits = ["a", "b", "c"].map((name) =>
        journal.submit(RUN, (state) => {
          seen.push(lastMark(state));
          return mark(name)(state);
        }),
      );
      await Promise.all(submits);
      expect(seen[0]).toBe("begun");
      expect(new Set(seen).size).toBe(3);
    });

    test("a refusal writes nothing and is passed on", async () => {
      const journal = make();
      await journal.create(RUN, begin(RUN));
      const before = journal.load(RUN);
      const submitted = await journal.submit(RUN, () => refuse({ why: "unanswered" }));
      expect(submitted).toEqual({ ok: false, ...before, refusal: { why: "unanswered" } });
      expect(journal.load(RUN)).toEqual(before);
    });

    test("an acceptance without events writes nothing", async () => {
      const journal = make();
      await journal.create(RUN, begin(RUN));
      const before = journal.load(RUN);
      expect(await journal.submit(RUN, () => ({ ok: true, events: [] }))).toEqual({ ok: true, ...before, events: [] });
    });

    test("a second run waits for the end of the first", async () => {
      const journal = make();
      await journal.create(RUN, begin(RUN));
      expect(await journal.create(NEXT_RUN, begin(NEXT_RUN))).toMatchObject({
        ok: false,
        refusal: { why: "runActive", run: RUN },
      });
      await journal.submit(RUN, end);
      expect(journal.newest()).toBe(RUN);
      expect(await journal.create(NEXT_RUN, begin(NEXT_RUN))).toMatchObject({ ok: true });
      expect(journal.newest()).toBe(NEXT_RUN);
      expect(journal.load(RUN).state.is).toBe("ended");
      expect(journal.events(RUN)).toHaveLength(2);
    });

    test("an ended run is not begun again", async () => {
      const journal = make();
      await journal.create(RUN, begin(RUN));
      await journal.submit(RUN, end);
      expect(await journal.create(RUN, begin(RUN))).toMatchObject({ ok: false, refusal: { why: "runEnded" } });
    });

    test("a decision about no run can only be a refusal", async () => {
      const journal = make();
      expect(await journal.submit(RUN, () => refuse({ why: "noRun" }))).toMatchObject({ ok: false, head: { seq: 0 } });
      await expect(journal.submit(RUN, mark("a"))).rejects.toThrow(ProblemError);
    });

    test("tells when something was appended, also when that was before it was asked", async () => {
      const journal = make();
      await journal.create(RUN, begin(RUN));
      const waiting = journal.changed(RUN, new AbortController().signal);
      await journal.submit(RUN, mark("a"));
      await waiting;
      expect(lastMark(journal.load(RUN).state)).toBe("a");
    });

    test("stops waiting when told to", async () => {
      const journal = make();
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
  });
}
