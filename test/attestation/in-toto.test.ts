import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { readEnvelope } from "../../src/adapters/attestation/dsse.ts";
import { encodeStatement, readStatement } from "../../src/adapters/attestation/read-statement.ts";
import { buildStatement } from "../../src/core/attestation/statement.ts";
import { replay } from "../../src/core/evolve.ts";
import type { RunEvent } from "../../src/schema/event.ts";
import { createStudio } from "./studio.ts";
import golden from "../journals/0.1.0-feature.json" with { type: "json" };

const studio = createStudio();
const events = (golden as { events: unknown }).events as RunEvent[];

/** A descriptor of a subject by the public schema: something that tells what it is, and digests in hexadecimal digits. */
const Descriptor = z
  .strictObject({
    name: z.optional(z.string()),
    uri: z.optional(z.string()),
    digest: z
      .record(z.string(), z.string().check(z.regex(/^(?:[0-9a-f]{2})+$/)))
      .check(z.refine((digest) => Object.keys(digest).length > 0)),
    mediaType: z.optional(z.string()),
    annotations: z.optional(z.record(z.string(), z.unknown())),
  })
  .check(
    z.refine(({ digest }) => ["gitCommit", "gitTree"].every((name) => [40, 64].includes(digest[name]?.length ?? 0))),
  );

/** The statement of version 1 as in-toto publishes it, with the rules that its library validates by. */
const PublicStatement = z.strictObject({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.array(Descriptor).check(z.minLength(1)),
  predicateType: z.string().check(z.refine((type) => URL.canParse(type))),
  predicate: z.record(z.string(), z.unknown()),
});

const violations = (value: unknown): string[] =>
  PublicStatement.safeParse(value).error?.issues.map(({ path }) => path.join(".")) ?? [];

describe("a statement built from a journal", () => {
  const state = replay(events);
  if (state.is === "none") throw new Error("the journal is empty");
  const branch = {
    start: studio.start,
    commits: studio.made.map((point, index) => ({ ...point, attempt: `run/phase#${index}` })),
    others: [],
  };
  const statement = buildStatement({
    state,
    events,
    branch,
    journal: { seq: events.length, hash: "0".repeat(64) },
    signedAt: "2026-12-31T00:00:00.000Z",
    hash: (text) => `${text.length}`.padStart(64, "0"),
  });

  test("is one by the rules of in-toto, and by our own reading of it", () => {
    expect(violations(JSON.parse(encodeStatement(statement).toString()))).toEqual([]);
    expect(violations({ ...statement, subject: [] })).toEqual(["subject"]);
    expect(violations({ ...statement, predicateType: "no uri" })).toEqual(["predicateType"]);
    expect(readStatement(encodeStatement(statement))).toEqual({ is: "statement", statement });
  });

  test("says the same every time", () => {
    const again = buildStatement({
      state: replay(events) as typeof state,
      events: [...events],
      branch,
      journal: { seq: events.length, hash: "0".repeat(64) },
      signedAt: "2026-12-31T00:00:00.000Z",
      hash: (text) => `${text.length}`.padStart(64, "0"),
    });
    expect(encodeStatement(again).equals(encodeStatement(statement))).toBe(true);
  });

  test("has every phase of the plan, with its gates, verdicts and who accepted it", () => {
    const { phases } = statement.predicate;
    expect(phases.map(({ key }) => key)).toEqual(state.phases.map(({ rule }) => rule.key));
    const answered = events.filter(({ type }) => type === "gate.answered");
    const verdicts = events.filter(({ type }) => type === "verdict.given");
    expect(answered.length + verdicts.length).toBeGreaterThan(2);
    expect(phases.flatMap(({ gates }) => gates)).toHaveLength(answered.length);
    expect(phases.flatMap(({ reviews }) => reviews)).toHaveLength(verdicts.length);
    expect(phases.filter(({ accepted }) => accepted !== null).length).toBeGreaterThan(0);
  });

  test("holds no word of a prompt, an agent, a person's guidance or a test", () => {
    const said = events.flatMap((event) => {
      if (event.type === "draft.produced") return [event.summary, ...event.decisions];
      if (event.type === "gate.answered") return [event.guidance ?? ""];
      if (event.type === "verdict.given") return [event.summary, ...event.issues.map(({ description }) => description)];
      if (event.type === "run.started") return [event.title];
      if (event.type === "checks.failed") return event.results.map(({ detail }) => detail);
      return event.type === "attempt.started" ? [event.brief.text] : [];
    });
    const words = said.filter((text) => text.length > 8);
    expect(words.length).toBeGreaterThan(5);
    const text = encodeStatement(statement).toString();
    expect(words.filter((word) => text.includes(word))).toEqual([]);
  });
});

test("an envelope is what DSSE says it is", async () => {
  const line = await studio.sign(studio.statement);
  const value = JSON.parse(line) as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["payload", "payloadType", "signatures"]);
  expect(value["payloadType"]).toBe("application/vnd.in-toto+json");
  const reading = readEnvelope(line);
  if (reading.is === "refused") throw new Error(reading.why);
  expect(JSON.parse(reading.envelope.payload.toString())).toEqual(studio.statement);
});
