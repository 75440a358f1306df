import { expect, test } from "vitest";
import type { EndedRun } from "../../src/core/run.ts";
import { pullRequestCommands, pullRequestBody } from "../../src/views/pull-request.ts";
import { accepted, active, answer, ended, gate, left, made, produced, started } from "./runs.ts";

const { run } = active(started());

test("passes a file to gh and the text to glab", () => {
  const [, gh = []] = pullRequestCommands({ run }, "gh") ?? [];
  expect(gh.slice(-2)).toEqual(["--body-file", ".isdlc/reviews/pull-request.md"]);
  const [, glab = []] = pullRequestCommands({ run }, "glab", "the text") ?? [];
  expect(glab[glab.indexOf("--description") + 1]).toBe("the text");
});

test("pushes the branch first, and returns null without one", () => {
  expect(pullRequestCommands({ run }, "gh")?.[0]).toEqual(["git", "push", "-u", "origin", "feature/REQ-0001-login"]);
  expect(pullRequestCommands(active(started({ git: "none" })), "gh")).toBeNull();
});

const finished = (change: Partial<EndedRun["run"]> = {}, more: Parameters<typeof made>[0] = {}): EndedRun => {
  const whole = ended([
    ...started(),
    ...produced("03-architecture", 1, made(more)),
    gate(),
    answer("continue"),
    ...accepted,
    ...left,
    ...produced("04-design", 1, made({ checks: [], concerns: [] })),
    gate(),
    answer("continue"),
    ...accepted,
    ...left,
    { type: "run.finished", how: "pr", merged: null },
  ]);
  return { ...whole, run: { ...whole.run, ...change } };
};

test("writes task, plan, evidence and open findings into the pull request", () => {
  const tests = { name: "tests", ok: true, detail: "", counts: { passed: 12, failed: 0, skipped: 0 } };
  const body = pullRequestBody(finished({}, { checks: [tests], concerns: ["No retry"] }), "Do it in two steps.");
  expect(body).toContain("Request: Add a login\n");
  expect(body).toContain("## Plan\n\n~~~text\nDo it in two steps.\n~~~\n");
  expect(body).toMatch(/\| Architecture \| tests passed \| approved \(1\) \| continue by \w+ \|/);
  expect(body).toContain("Tests: passed (12 passed, 0 failed)\n");
  expect(body).toContain("## Open findings\n\n- Architecture: `No retry`\n");
});

test("names the issue and committed documents in the pull request", () => {
  const issue = { source: "github", id: "GH-42", url: "https://github.com/o/r/issues/42" } as const;
  expect(pullRequestBody(finished({ issue }), null)).toContain("\nIssue: https://github.com/o/r/issues/42\n");
  expect(pullRequestBody(finished(), null)).toContain("\nDocuments: docs/requirements/REQ-0001-login\n");
  expect(pullRequestBody(finished({ item: ".isdlc/work/x" }), null)).not.toContain(".isdlc");
});

test("states missing findings and tests and omits an empty plan", () => {
  const body = pullRequestBody(finished({}, { checks: [], concerns: [] }), " ");
  expect(body).toContain("## Open findings\n\nNone.\n");
  expect(body).toContain("Tests: not run\n");
  expect(body).not.toContain("## Plan");
});

test("quotes plan, findings and concerns as code", () => {
  const concerns = ["a | b <b>", "Fixes #1 @everyone https://github.com/o/r/issues/1", "`Fixes #2`", "``"];
  const body = pullRequestBody(finished({}, { concerns }), "~~~~\n@everyone Fixes #1\n");
  expect(body).toContain("~~~~~text\n~~~~\n@everyone Fixes #1\n~~~~~\n");
  expect(body).toContain("- Architecture: `a | b <b>`\n");
  expect(body).toContain("- Architecture: `Fixes #1 @everyone https://github.com/o/r/issues/1`\n");
  expect(body).toContain("- Architecture: `` `Fixes #2` ``\n- Architecture: ``` `` ```\n");
});
