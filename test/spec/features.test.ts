import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { activeFeature, featureFolders, isInWorktree } from "../../src/adapters/project-files/features.ts";

let project = "";
let features = "";
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-features-test-")));
  features = join(project, "docs", "features");
  mkdirSync(features, { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** A feature whose meta file was written at the given second of 2026. */
function put(folder: string, meta: unknown, second: number): string {
  const dir = join(features, folder);
  mkdirSync(dir);
  const file = join(dir, ".meta.json");
  writeFileSync(file, typeof meta === "string" ? meta : JSON.stringify(meta));
  utimesSync(file, 1_767_225_600 + second, 1_767_225_600 + second);
  return dir;
}

describe("active feature", () => {
  test("is the last written active one, regardless of its number [SPEC-R5.4]", () => {
    put("001-old", { name: "old" }, 10);
    const dir = put("002-mine", { name: "mine", status: "active" }, 30);
    put("003-earlier", { status: "active" }, 20);
    put("004-done", { status: "completed" }, 40);
    put("005-dropped", { status: "abandoned" }, 50);
    put("006-odd", { status: "paused" }, 60);
    put("007-damaged", "{ half", 70);
    writeFileSync(join(dir, "spec.md"), "x");
    writeFileSync(join(dir, "brainstorm.md"), "x");
    mkdirSync(join(dir, "design.md"));
    expect(activeFeature(features)).toMatchObject({
      folder: "002-mine",
      dir,
      meta: { name: "mine", status: "active" },
      files: ["brainstorm.md", "spec.md"],
    });
    rmSync(dir, { recursive: true });
    expect(activeFeature(features)?.folder).toBe("003-earlier");
  });

  test.for([
    ["without bytes", "", false],
    ["of whitespace", " \n\t\r\n\u00a0", false],
    ["of a byte order mark", "\u{FEFF}\n", false],
    ["with more leading whitespace than is read", `${" ".repeat(64 * 1024)}x`, false],
    ["with leading whitespace", `${"\n".repeat(60 * 1024)}x`, true],
    ["too large to read completely", "x".repeat(9 * 1024 * 1024), true],
  ] as const)("decides if a document %s counts [SPEC-AC6, SPEC-AC7]", ([, text, counts]) => {
    const dir = put("001-mine", {}, 1);
    writeFileSync(join(dir, "spec.md"), text);
    symlinkSync(join(dir, ".meta.json"), join(dir, "plan.md"));
    expect(activeFeature(features)?.files).toEqual(counts ? ["spec.md"] : []);
  });

  test("is missing if all are completed or abandoned [SPEC-R5.4]", () => {
    put("001-done", { status: "completed" }, 1);
    put("002-dropped", { status: "abandoned" }, 2);
    expect(activeFeature(features)).toBeNull();
  });

  test("excludes links, other folders and invalid names", () => {
    mkdirSync(join(project, "outside"));
    writeFileSync(join(project, "outside", ".meta.json"), "{}");
    symlinkSync(join(project, "outside"), join(features, "001-linked"));
    mkdirSync(join(features, "002-linked-file"));
    symlinkSync(join(project, "outside", ".meta.json"), join(features, "002-linked-file", ".meta.json"));
    put("003 spaced", {}, 1);
    put(".hidden", {}, 2);
    mkdirSync(join(features, "004-folder-for-file", ".meta.json"), { recursive: true });
    expect(activeFeature(features)).toBeNull();
    symlinkSync(features, join(project, "linked"));
    put("005-real", {}, 3);
    expect(activeFeature(features)?.folder).toBe("005-real");
    expect(activeFeature(join(project, "linked"))).toBeNull();
  });

  test.for([null, undefined, 5, "", "a\0b", "/nowhere/at/all"])("is missing in %o", (odd) => {
    expect([activeFeature(odd), featureFolders(odd)]).toEqual([null, []]);
  });

  test("includes folders without meta file in the numbers", () => {
    put("003-a", {}, 1);
    mkdirSync(join(features, "011-b"));
    writeFileSync(join(features, "099-file"), "");
  });
});

test("detects if a directory is in its worktree [SPEC-R4.1]", () => {
  const worktree = join(project, "shop-001-login");
  mkdirSync(join(worktree, "src"), { recursive: true });
  mkdirSync(join(project, "shop-001-login-2"));
  mkdirSync(join(project, "shop"));
  symlinkSync(worktree, join(project, "shortcut"));
  const inside = (directory: string, root = "shop") =>
    isInWorktree(join(project, root), "../shop-001-login", join(project, directory));
  expect(["shop-001-login", "shop-001-login/src", "shortcut/src"].map((place) => inside(place))).toEqual([
    true,
    true,
    true,
  ]);
  expect(["shop", "", "shop-001-login-2"].map((place) => inside(place))).toEqual([false, false, false]);
  expect(inside("shop-001-login", "shop-001-login")).toBe(true);
  expect(isInWorktree(join(project, "shop"), "../gone", join(project, "shop"))).toBe(false);
});
