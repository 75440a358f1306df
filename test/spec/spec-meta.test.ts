import { describe, expect, test } from "vitest";
import {
  createFeatureMeta,
  isPartialPhase,
  specMetaFrom,
  type SpecMeta,
  featureId,
  featureNumber,
  featureSlug,
} from "../../src/core/spec/spec-meta.ts";
import { phaseUpdatesFrom, type SpecChange, specMetaAfter } from "../../src/core/spec/spec-meta-change.ts";
import { isSafeName } from "../../src/schema/ids.ts";

const AT = "2026-11-15T10:00:00.000Z";
const LATER = "2026-11-15T11:00:00.000Z";
const fresh = createFeatureMeta({ id: "001", name: "login", mode: "full", created: AT, worktree: "../shop-001-login" });
const after = (...changes: SpecChange[]): SpecMeta =>
  changes.reduce<Readonly<Record<string, unknown>>>(specMetaAfter, fresh) as SpecMeta;
const designed = { is: "phaseCompleted", phase: "design", at: LATER, iterations: 2, reviewerNotes: [] } as const;
const begun = { is: "phaseStarted", phase: "design", at: AT } as const;

describe("meta of a feature", () => {
  test("has every key of the first version in order", () => {
    expect(Object.entries(fresh)).toEqual([
      ["id", "001"],
      ["name", "login"],
      ["mode", "full"],
      ["status", "active"],
      ["created", AT],
      ["completed", null],
      ["worktree", "../shop-001-login"],
      ["currentPhase", null],
      ["phases", {}],
    ]);
    expect(specMetaFrom(JSON.parse(JSON.stringify(fresh)))).toEqual(fresh);
  });

  test.for<[unknown, string]>([
    [undefined, "active"],
    [null, "active"],
    ["active", "active"],
    ["completed", "completed"],
    ["abandoned", "abandoned"],
    ["paused", "unknown"],
    ["", "unknown"],
    [5, "unknown"],
  ])("reads the status %o as %s [SPEC-R5.1]", ([status, expected]) => {
    expect(specMetaFrom({ status })?.status).toBe(expected);
  });

  test("has defaults for missing and invalid fields, and keeps unknown ones", () => {
    const odd = JSON.parse(
      '{"x":1,"id":7,"mode":"turbo","worktree":5,"currentPhase":"__proto__","phases":{"design":7,"__proto__":{"verified":true}}}',
    ) as unknown;
    const meta = specMetaFrom(odd);
    const design = { started: null, completed: null, verified: false, iterations: 0, reviewerNotes: [] };
    expect(meta).toMatchObject({ x: 1, id: "7", name: "", mode: "standard", worktree: null, currentPhase: null });
    expect(meta?.phases["design"]).toEqual(design);
    expect(Object.getPrototypeOf(meta?.phases)).toBe(Object.prototype);
  });

  test.for([null, undefined, [], "x", 5, { phases: [] }, { phases: "all" }])("is null for %o", (odd) => {
    expect(specMetaFrom(odd)).toBeNull();
  });
});

describe("meta changes of a run", () => {
  test("mark an unfinished phase as partial and keep both times [SPEC-R7.1, SPEC-R7.3]", () => {
    expect(isPartialPhase(fresh, "design")).toBe(false);
    expect(isPartialPhase(after(begun), "design")).toBe(true);
    expect(isPartialPhase(after(begun), "specify")).toBe(false);
    const ended = after(begun, designed);
    expect(isPartialPhase(ended, "design")).toBe(false);
    expect(ended.phases["design"]).toMatchObject({ started: AT, completed: LATER });
  });

  test("store iterations and last notes of an ended phase [SPEC-R6.1]", () => {
    const ended = after(begun, { ...designed, iterations: 3, reviewerNotes: ["no error for empty names"] });
    expect(ended.currentPhase).toBe("design");
    expect(ended.phases["design"]).toEqual({
      started: AT,
      completed: LATER,
      verified: false,
      iterations: 3,
      reviewerNotes: ["no error for empty names"],
    });
  });

  test("set the current phase to the last completed one only", () => {
    expect(after(begun).currentPhase).toBeNull();
    const planned = after(begun, designed, { ...designed, phase: "create-plan" });
    expect(planned.currentPhase).toBe("create-plan");
    const verified = specMetaAfter(planned, { is: "phaseVerified", phase: "design", verified: true }) as SpecMeta;
    expect(verified.currentPhase).toBe("create-plan");
    expect(verified.phases["design"]).toMatchObject({ verified: true, completed: LATER, iterations: 2 });
  });

  test("reset results at a new start, but not at a repeated one", () => {
    const done = after(begun, designed, { is: "phaseVerified", phase: "design", verified: true });
    expect(specMetaAfter(done, begun)).toEqual(done);
    expect((specMetaAfter(done, { ...begun, at: LATER }) as SpecMeta).phases["design"]).toEqual({
      started: LATER,
      completed: null,
      verified: false,
      iterations: 0,
      reviewerNotes: [],
    });
  });

  test.for([
    ["SPEC-R5.2", "completed"],
    ["SPEC-R5.3", "abandoned"],
  ] as const)("ignore changes after %s: %s", ([, status]) => {
    const ended = after(begun, designed, { is: status, at: LATER });
    expect(ended).toMatchObject({ status, completed: LATER });
    const more: SpecChange[] = [
      { ...begun, at: "2027-01-01T00:00:00.000Z" },
      { ...designed, phase: "verify" },
      { is: "phaseVerified", phase: "design", verified: true },
      { is: "completed", at: "2027-01-01T00:00:00.000Z" },
      { is: "abandoned", at: "2027-01-01T00:00:00.000Z" },
    ];
    for (const change of more) expect(specMetaAfter(ended, change)).toBe(ended);
  });

  test.for<SpecChange>([
    begun,
    designed,
    { is: "phaseVerified", phase: "design", verified: true },
    { is: "completed", at: LATER },
  ])("are idempotent for $is and keep unknown keys and their order", (change) => {
    const found = JSON.parse(
      '{"phases":{"own":1,"design":{"note":"x","verified":false}},"zz":[1],"__proto__":{"a":1},"id":"001","status":"active"}',
    ) as Record<string, unknown>;
    const before = JSON.stringify(found);
    const once = specMetaAfter(found, change);
    expect(JSON.stringify(found)).toBe(before);
    expect(JSON.stringify(specMetaAfter(once, change))).toBe(JSON.stringify(once));
    expect(Object.keys(once).slice(0, 5)).toEqual(["phases", "zz", "__proto__", "id", "status"]);
    expect(once).toMatchObject({ zz: [1], phases: { own: 1, design: { note: "x" } } });
  });
});

describe("updates of a phase", () => {
  test.for<[unknown, unknown]>([
    [{}, {}],
    [
      { started: AT, iterations: 0 },
      { started: AT, iterations: 0 },
    ],
    [{ completed: AT, verified: undefined }, { completed: AT }],
    [
      { verified: true, reviewerNotes: ["a"] },
      { verified: true, reviewerNotes: ["a"] },
    ],
    [{ started: "yesterday" }, null],
    [{ completed: null }, null],
    [{ completed: true }, null],
    [{ verified: "yes" }, null],
    [{ iterations: -1 }, null],
    [{ iterations: 1.5 }, null],
    [{ iterations: Number.NaN }, null],
    [{ reviewerNotes: "a" }, null],
    [{ reviewerNotes: [1] }, null],
    [{ status: "completed" }, null],
    [JSON.parse('{"__proto__":{"a":1}}'), null],
    [null, null],
    [[], null],
    ["x", null],
  ])("convert %j to %j", ([given, expected]) => {
    expect(phaseUpdatesFrom(given)).toEqual(expected);
  });
});

describe("name of a new feature", () => {
  test.for<[string, number]>([
    ["001-login", 1],
    ["1000-a", 1000],
    ["7", 7],
    ["notes", 0],
    ["v2-old", 0],
    ["x-7", 0],
    ["12x", 0],
    ["99999999999-a", 0],
  ])("reads from the folder %j the number %i", ([folder, number]) => {
    expect(featureNumber(folder)).toBe(number);
  });

  test.for<[number, string]>([
    [1, "001"],
    [10, "010"],
    [1000, "1000"],
  ])("writes the number %i as %s", ([number, id]) => {
    expect(featureId(number)).toBe(id);
  });

  test.for<[unknown, string]>([
    ["Login page", "login-page"],
    ["a".repeat(60), "a".repeat(30)],
    [`${"a".repeat(29)} tail`, "a".repeat(29)],
    ["../../etc", "etc"],
    ["", "untitled-item"],
    [null, "untitled-item"],
  ])("converts the title %j to %s", ([title, slug]) => {
    expect(featureSlug(title)).toBe(slug);
    expect(isSafeName(`${featureId(1)}-${featureSlug(title)}`)).toBe(true);
  });
});
