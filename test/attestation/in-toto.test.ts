import type { JsonValue } from "@bufbuild/protobuf";
import { dsse } from "@sigstore/core";
import { Envelope } from "@sigstore/protobuf-specs";
import { describe, expect, test } from "vitest";
import { signedBytes } from "../../src/adapters/attestation/dsse.ts";
import { encodeStatement, readStatement } from "../../src/adapters/attestation/read-statement.ts";
import { buildStatement, type StatementFacts } from "../../src/core/attestation/statement.ts";
import { replay } from "../../src/core/evolve/evolve.ts";
import type { RunEvent } from "../../src/schema/event.ts";
import { throughPublicMessage, violationsOf } from "./public-statement.ts";
import { createStudio } from "./studio.ts";
import golden from "../journals/0.1.0-feature.json" with { type: "json" };

const studio = createStudio();
const events = (golden as { events: unknown }).events as RunEvent[];

describe("statement built from a journal", () => {
  const state = replay(events);
  if (state.is === "none") throw new Error("the journal is empty");
  const branch = {
    start: studio.start,
    commits: studio.made.map((point, index) => ({
      ...point,
      parents: [studio.made[index - 1]?.commit ?? studio.start.commit],
      attempt: `run/phase#${index}`,
    })),
    others: [],
    merge: null,
  };
  const facts: StatementFacts = {
    state,
    events,
    branch,
    journal: { seq: events.length, hash: "0".repeat(64) },
    signedAt: "2026-12-31T00:00:00.000Z",
    version: "1.0.0",
    hash: (text) => `${text.length}`.padStart(64, "0"),
    portable: () => null,
  };
  const statement = buildStatement(facts);

  const written = JSON.parse(encodeStatement(statement).toString()) as Record<string, JsonValue>;

  test("survives conversion through in-toto's published message unchanged", () => {
    expect(throughPublicMessage(written)).toEqual(written);
  });

  test.for<[string, Record<string, JsonValue>]>([
    ["with an additional field", { ...written, approved: true }],
    ["with one subject instead of a list", { ...written, subject: {} }],
    ["with a numeric digest", { ...written, subject: [{ name: "x", digest: { gitCommit: 1 } }] }],
    ["with an additional field in its subject", { ...written, subject: [{ name: "x", tree: "y" }] }],
    ["with a predicate of text", { ...written, predicate: "yes" }],
  ])("is rejected %s", ([, value]) => {
    expect(() => throughPublicMessage(value)).toThrow(/cannot decode/);
  });

  test("is valid in in-toto's library and in our reader", () => {
    expect(violationsOf(written)).toEqual([]);
    expect(violationsOf({ ...written, _type: "https://in-toto.io/Statement/v0.1" })).toEqual(["_type"]);
    expect(violationsOf({ ...written, subject: [] })).toEqual(["subject"]);
    expect(violationsOf({ ...written, subject: [{ digest: {} }] })).toEqual(["subject.0.digest"]);
    expect(violationsOf({ ...written, subject: [{ digest: { gitCommit: "abcd" } }] })).toEqual(["subject.0.digest"]);
    expect(violationsOf({ ...written, predicateType: "no uri" })).toEqual(["predicateType"]);
    expect(readStatement(encodeStatement(statement))).toEqual({ is: "run", statement });
  });

  test("is identical for the same journal", () => {
    const again = buildStatement({ ...facts, state: replay(events) as typeof state, events: [...events] });
    expect(encodeStatement(again).equals(encodeStatement(statement))).toBe(true);
  });

  test("has every phase of the plan with gates, verdicts and approver", () => {
    const { phases } = statement.predicate;
    expect(phases.map(({ key }) => key)).toEqual(state.phases.map(({ rule }) => rule.key));
    const answered = events.filter(({ type }) => type === "gate.answered");
    const verdicts = events.filter(({ type }) => type === "verdict.given");
    expect(answered.length + verdicts.length).toBeGreaterThan(2);
    expect(phases.flatMap(({ gates }) => gates)).toHaveLength(answered.length);
    expect(phases.flatMap(({ reviews }) => reviews)).toHaveLength(verdicts.length);
    expect(phases.filter(({ accepted }) => accepted !== null).length).toBeGreaterThan(0);
  });

  test("names the workers of a team that reported results, and those that repeated the checks", () => {
    const workers = { reportedBy: ["w1", "w2"], checkedBy: ["w2", "w1"] };
    const last = events.findLast((event) => event.type === "phase.completed");
    const teamEvents = events.map((event) =>
      event === last ? { ...event, made: { ...event.made, ...workers } } : event,
    );
    const team = buildStatement({ ...facts, state: replay(teamEvents) as typeof state, events: teamEvents });
    const named = team.predicate.phases.filter(({ reportedBy }) => reportedBy !== undefined);
    expect(named).toMatchObject([{ key: "08-code-review", ...workers }]);
    expect(readStatement(encodeStatement(team))).toEqual({ is: "run", statement: team });
    expect(encodeStatement(statement).toString()).not.toMatch(/reportedBy|checkedBy/);
  });

  test("contains no text of prompts, agents, guidance or tests", () => {
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

test("signs an envelope as DSSE specifies, readable by other libraries", async () => {
  const line = await studio.sign(studio.statement);
  const { payload, payloadType, signatures } = Envelope.fromJSON(JSON.parse(line));
  expect(Envelope.toJSON({ payload, payloadType, signatures })).toEqual(JSON.parse(line));
  expect(payloadType).toBe("application/vnd.in-toto+json");
  expect(JSON.parse(payload.toString())).toEqual(studio.statement);
  expect(signedBytes(payload).equals(dsse.preAuthEncoding(payloadType, payload))).toBe(true);
});

describe("time in a statement", () => {
  test.for([
    "2026-11-01T11:00:60.000Z",
    "2026-02-30T11:00:00Z",
    "2025-02-29T11:00:00Z",
    "1900-02-29T11:00:00Z",
    "2026-11-31T11:00:00.000Z",
    "2026-11-01T24:00:00.000Z",
    "2026-00-01T11:00:00.000Z",
    "9999-99-99T99:99:99Z",
    "2026-11-01T11:00:00+00:00",
  ])("is rejected if invalid: %s", (signedAt) => {
    const { statement } = studio;
    const wrong = { ...statement, predicate: { ...statement.predicate, signedAt } };
    expect(readStatement(encodeStatement(wrong))).toMatchObject({ is: "refused" });
  });

  test.for(["2024-02-29T23:59:59.9Z", "2000-02-29T00:00:00Z", "2026-12-31T00:00:00.000Z"])(
    "is accepted: %s",
    (signedAt) => {
      const { statement } = studio;
      const right = { ...statement, predicate: { ...statement.predicate, signedAt } };
      expect(readStatement(encodeStatement(right))).toMatchObject({ is: "run" });
    },
  );
});
