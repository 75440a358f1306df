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

test("uses the folder itself outside of a repository", () => {
  expect(rootOf("project", "below")).toBe(join(base, "project", "below"));
});

test("uses the folder of the nearest .isdlc outside of a repository", () => {
  mkdirSync(join(base, "project", ".isdlc"));
  expect(rootOf("project", "below")).toBe(join(base, "project"));
});

test("ignores an empty .git folder, which a sandbox may create temporarily", () => {
  mkdirSync(join(base, ".git"));
  expect(rootOf("project")).toBe(join(base, "project"));
  mkdirSync(join(base, ".git", "objects"));
  expect(rootOf("project")).toBe(base);
});
