import { describe, expect, test } from "vitest";
import { type ArtifactReviewer, reviewArtifact, type ReviewRequest } from "../../src/core/spec/review-artifact.ts";

const NEEDS = "Every requirement listed";
const approval = { approved: true, issues: [], summary: "good" };

/** A reviewer that gives these answers in turn and stores the requests. */
function answering(...answers: (() => unknown)[]) {
  const asked: ReviewRequest[] = [];
  const reviewer: ArtifactReviewer = (request) => {
    asked.push(request);
    return new Promise((resolve) => resolve(answers[asked.length - 1]?.()));
  };
  return { asked, reviewer };
}

describe("reviewArtifact without a reviewer call", () => {
  test.for<[string, unknown, unknown, unknown, string]>([
    ["an empty artifact", null, "", NEEDS, "The artifact is empty."],
    ["a blank artifact", "spec", " \n\t", NEEDS, "The artifact is empty."],
    ["a missing artifact", null, undefined, NEEDS, "The artifact is not text."],
    ["an artifact that is not text", null, { a: 1 }, NEEDS, "The artifact is not text."],
    ["a missing predecessor", "", "design", NEEDS, "The previous artifact is required and missing."],
    ["a blank predecessor", " \n", "design", NEEDS, "The previous artifact is required and missing."],
    ["a predecessor that is not text", 5, "design", NEEDS, "The previous artifact is not text."],
    ["an omitted predecessor", undefined, "design", NEEDS, "The previous artifact is not text."],
    ["needs that are not text", null, "design", null, "The needs of the next phase are not text."],
  ])("rejects %s with a blocker", async ([, previous, current, needs, description]) => {
    const { asked, reviewer } = answering(() => approval);
    const review = await reviewArtifact(previous as null, current as string, needs as string, reviewer);
    expect(review).toEqual({
      approved: false,
      issues: [{ severity: "blocker", description, location: null }],
      summary: description,
    });
    expect(asked).toEqual([]);
  });

  test.for([undefined, null, "approve"])("rejects with one note if the reviewer is %o", async (odd) => {
    const review = await reviewArtifact("spec", "design", NEEDS, odd as undefined);
    expect(review).toMatchObject({ approved: false, issues: [{ severity: "note", location: null }] });
    expect(review.issues).toHaveLength(1);
  });
});

describe("reviewArtifact with a reviewer", () => {
  test("passes the previous artifact, the current one and the next phase's needs [SPEC-R2.2]", async () => {
    const { asked, reviewer } = answering(() => approval);
    expect(await reviewArtifact("the spec", "the design", NEEDS, reviewer)).toEqual(approval);
    expect(asked).toEqual([{ previous: "the spec", current: "the design", needs: NEEDS, isRepeated: false }]);
    const first = answering(() => approval);
    await reviewArtifact(null, "the spec", NEEDS, first.reviewer);
    expect(first.asked[0]?.previous).toBeNull();
  });

  const issue = (severity: string) => ({ severity, description: `a ${severity}`, location: "spec.md" });
  test.for<[boolean, string[], boolean]>([
    [true, [], true],
    [true, ["note", "warning"], true],
    [true, ["blocker"], false],
    [true, ["note", "blocker"], false],
    [false, [], false],
    [false, ["note"], false],
    [false, ["blocker"], false],
  ])("combines approved %o with %j to %o [SPEC-R2.3]", async ([approved, severities, expected]) => {
    const { asked, reviewer } = answering(() => ({ approved, issues: severities.map(issue), summary: "s" }));
    const review = await reviewArtifact(null, "spec", NEEDS, reviewer);
    expect(review).toEqual({ approved: expected, issues: severities.map(issue), summary: "s" });
    expect(asked).toHaveLength(1);
  });

  test("returns each issue of the reviewer [SPEC-AC17, SPEC-AC18]", async () => {
    const issues = [
      { severity: "blocker", description: "R3 is not covered by any component", location: "design.md, Coverage" },
      { severity: "blocker", description: "R7 is not covered by any component", location: null },
    ];
    const { reviewer } = answering(() => ({ approved: false, issues, summary: "two of nine are missing" }));
    const review = await reviewArtifact("spec", "design", NEEDS, reviewer);
    expect(review).toEqual({ approved: false, issues, summary: "two of nine are missing" });
  });

  const odd: (() => unknown)[] = [
    () => undefined,
    () => null,
    () => "approved",
    () => ({ approved: "true" }),
    () => ({ approved: true, issues: [{ severity: "fatal", description: "x" }] }),
    () => ({ approved: true, issues: "none" }),
    () => {
      throw new Error("the agent died");
    },
  ];

  test.for(odd)("repeats the request after an invalid answer (%#) [SPEC-R2.3]", async (answer) => {
    const { asked, reviewer } = answering(answer, () => approval);
    expect((await reviewArtifact(null, "spec", NEEDS, reviewer)).approved).toBe(true);
    expect(asked.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
  });

  test.for(odd)("rejects without a verdict after two invalid answers (%#) [SPEC-R2.3]", async (answer) => {
    const { asked, reviewer } = answering(answer, answer, () => approval);
    const review = await reviewArtifact(null, "spec", NEEDS, reviewer);
    expect(review).toMatchObject({ approved: false, issues: [{ severity: "note" }] });
    expect([review.summary, asked.length]).toEqual(["No verdict: the reviewer's answers could not be used.", 2]);
  });
});
