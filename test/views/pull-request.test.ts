import { expect, test } from "vitest";
import { pullRequestCommands } from "../../src/views/pull-request.ts";
import { active, started } from "./runs.ts";

const { run } = active(started());

/** The text that goes with the request. */
const bodyOf = (item: string, tool: "gh" | "glab"): string | undefined =>
  pullRequestCommands({ run: { ...run, item } }, tool)?.[1]?.find((argument) => argument.startsWith("What"));

test.each(["gh", "glab"] as const)("what %s proposes names only what others can read", (tool) => {
  expect(bodyOf("docs/requirements/REQ-0001-login", tool)).toBe(
    "What was asked for and decided: docs/requirements/REQ-0001-login",
  );
  expect(bodyOf(".isdlc/work/20260214-100000000-abcd", tool)).toBe("What was asked for: Add a login");
});

test("a branch is pushed first; without one there is nothing to propose", () => {
  expect(pullRequestCommands({ run }, "gh")?.[0]).toEqual(["git", "push", "-u", "origin", "feature/REQ-0001-login"]);
  expect(pullRequestCommands(active(started({ git: "none" })), "gh")).toBeNull();
});
