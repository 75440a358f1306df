import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findProject } from "../../src/compose/project-location.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-root-")));
  mkdirSync(join(base, "project", "below"), { recursive: true });
});
afterEach(() => removeTemporary(base));

const rootOf = (...names: string[]): string => findProject(join(base, ...names), { HOME: base }).root;

test("a folder without a repository above it is a project of its own", () => {
  expect(rootOf("project", "below")).toBe(join(base, "project", "below"));
});

test("the nearest .isdlc is the project's where there is no repository", () => {
  mkdirSync(join(base, "project", ".isdlc"));
  expect(rootOf("project", "below")).toBe(join(base, "project"));
});

test("an empty .git above it is no repository: an agent's sandbox may have put it there for a moment", () => {
  mkdirSync(join(base, ".git"));
  expect(rootOf("project")).toBe(join(base, "project"));
  mkdirSync(join(base, ".git", "objects"));
  expect(rootOf("project")).toBe(base);
});
