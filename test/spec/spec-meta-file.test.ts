import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  changeSpecMeta,
  createPhaseStateUpdater,
  readSpecMeta,
  updatePhaseState,
  writeNewSpecMeta,
} from "../../src/adapters/project-files/spec-meta-file.ts";
import { createFeatureMeta } from "../../src/core/spec/spec-meta.ts";
import { specMetaAfter } from "../../src/core/spec/spec-meta-change.ts";
import { markRun } from "../support/mark-run.ts";

const AT = "2026-11-15T10:00:00.000Z";
const LATER = "2026-11-15T11:00:00.000Z";
const meta = createFeatureMeta({ id: "001", name: "login", mode: "standard", created: AT, worktree: null });

let project = "";
let feature = "";
const file = () => join(feature, ".meta.json");
const put = (value: unknown) => writeFileSync(file(), typeof value === "string" ? value : JSON.stringify(value));
const onDisk = () => JSON.parse(readFileSync(file(), "utf8")) as Record<string, unknown>;

let warnings: string[] = [];
const update = createPhaseStateUpdater({ isRunOpen: () => false, warn: (warning) => warnings.push(warning) });

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-spec-test-")));
  feature = join(project, "docs", "features", "001-login");
  mkdirSync(feature, { recursive: true });
  mkdirSync(join(project, ".isdlc"));
  warnings = [];
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

describe(".meta.json of a feature", () => {
  test("is written once as formatted JSON and read again", () => {
    expect(writeNewSpecMeta(feature, meta)).toEqual({ written: true });
    expect(readFileSync(file(), "utf8")).toBe(`${JSON.stringify(meta, null, 2)}\n`);
    expect(readSpecMeta(feature)).toEqual(meta);
    expect(writeNewSpecMeta(feature, { ...meta, name: "other" })).toEqual({
      written: false,
      warning: ".meta.json was not written: there is one already",
    });
    expect(readSpecMeta(feature)?.name).toBe("login");
    expect(readdirSync(feature)).toEqual([".meta.json"]);
  });

  test("is active in the first version with five keys", () => {
    put({ id: "001", name: "login", mode: "quick", created: AT, worktree: null });
    expect(readSpecMeta(feature)).toMatchObject({ status: "active", mode: "quick", currentPhase: null, phases: {} });
  });

  test.for(["", "{ half", "[]", "null", '{"phases":[]}', "[".repeat(200_000)])(
    "is read as null and never written if damaged (%#)",
    (text) => {
      put(text);
      expect(readSpecMeta(feature)).toBeNull();
      expect(update(feature, "design", { started: AT })).toBe(false);
      expect(warnings).toEqual([expect.stringContaining(".meta.json was not written")]);
      expect(readFileSync(file(), "utf8")).toBe(text);
    },
  );

  test("keeps concurrent changes by reading again [SPEC-R1.5]", () => {
    put(meta);
    let asked = 0;
    const written = changeSpecMeta(feature, (found) => {
      if (++asked === 1) put({ ...meta, owner: "me" });
      return specMetaAfter(found, { is: "phaseStarted", phase: "design", at: AT });
    });
    expect([written, asked]).toEqual([{ written: true }, 2]);
    expect(onDisk()).toMatchObject({ owner: "me", phases: { design: { started: AT } } });
    expect(readdirSync(feature)).toEqual([".meta.json"]);
  });

  test("is not written without a change", () => {
    writeNewSpecMeta(feature, meta);
    const before = statSync(file()).ino;
    expect(changeSpecMeta(feature, (found) => ({ ...found }))).toEqual({ written: true });
    expect(statSync(file()).ino).toBe(before);
  });
});

describe("updatePhaseState", () => {
  test("merges updates, and derives the current phase from completed ones [SPEC-R1.5, SPEC-R7.3]", () => {
    put({ z: 1, ...meta, phases: { specify: { completed: AT, extra: true } }, "x-y": null });
    expect(update(feature, "design", { started: AT })).toBe(true);
    expect(onDisk()).toMatchObject({ currentPhase: null, phases: { design: { started: AT } } });
    expect(update(feature, "design", { completed: LATER, iterations: 2, reviewerNotes: ["a"] })).toBe(true);
    expect(update(feature, "specify", { verified: true })).toBe(true);
    expect(onDisk()).toEqual({
      z: 1,
      ...meta,
      currentPhase: "design",
      phases: {
        specify: { completed: AT, extra: true, verified: true },
        design: { started: AT, completed: LATER, iterations: 2, reviewerNotes: ["a"] },
      },
      "x-y": null,
    });
    expect(Object.keys(onDisk())).toEqual(["z", ...Object.keys(meta), "x-y"]);
    expect([readdirSync(feature), warnings]).toEqual([[".meta.json"], []]);
  });

  test.for<[string, unknown, unknown]>([
    ["an unknown phase", "release", { started: AT }],
    ["__proto__", "__proto__", { started: AT }],
    ["constructor", "constructor", { started: AT }],
    ["a missing phase", undefined, { started: AT }],
    ["an invalid time", "design", { started: "soon" }],
    ["an unknown key", "design", { status: "completed" }],
    ["missing updates", "design", null],
  ])("refuses %s and keeps the file", ([, phase, updates]) => {
    put(meta);
    const before = readFileSync(file(), "utf8");
    expect(update(feature, phase, updates)).toBe(false);
    expect([readFileSync(file(), "utf8"), warnings.length]).toEqual([before, 1]);
    expect(({} as Record<string, unknown>)["started"]).toBeUndefined();
  });

  test.for([null, undefined, 5, "", "a\0b", {}, "/", "/nowhere/at/all", "..", "."])("refuses %o", (path) => {
    expect(update(path, "design", { started: AT })).toBe(false);
  });

  test.for([".hidden", "two words", "nul", "-x"])("refuses a folder named %s", (name) => {
    mkdirSync(join(project, name));
    writeFileSync(join(project, name, ".meta.json"), JSON.stringify(meta));
    expect(update(join(project, name), "design", { started: AT })).toBe(false);
    expect(readSpecMeta(join(project, name))).toBeNull();
  });

  test("refuses a folder without the file, and a file instead of the folder", () => {
    expect(update(feature, "design", { started: AT })).toBe(false);
    expect(update(join(project, "docs"), "design", { started: AT })).toBe(false);
    writeFileSync(join(project, "plain"), "");
    expect(update(join(project, "plain"), "design", { started: AT })).toBe(false);
    expect(readdirSync(feature)).toEqual([]);
  });

  test.for(["file", "folder", "parent"])("refuses a link instead of the %s", (what) => {
    const victim = join(project, "victim", "001-login");
    mkdirSync(victim, { recursive: true });
    const text = JSON.stringify(meta);
    writeFileSync(join(victim, ".meta.json"), text);
    if (what === "file") symlinkSync(join(victim, ".meta.json"), file());
    if (what === "folder") symlinkSync(victim, join(project, "docs", "features", "002-linked"));
    if (what === "parent") symlinkSync(join(project, "victim"), join(project, "docs", "linked"));
    const path = { file: feature, folder: join(project, "docs/features/002-linked") }[what];
    expect(update(path ?? join(project, "docs/linked/001-login"), "design", { started: AT })).toBe(false);
    expect(readFileSync(join(victim, ".meta.json"), "utf8")).toBe(text);
  });

  test.for(["completed", "abandoned", "paused"])("refuses a feature that is %s [SPEC-R5.2, SPEC-R5.3]", (status) => {
    put({ ...meta, status });
    expect(update(feature, "design", { started: AT })).toBe(false);
    expect(onDisk()).toEqual({ ...meta, status });
  });

  test.skipIf(process.getuid?.() === 0)("refuses a read-only folder", () => {
    put(meta);
    chmodSync(feature, 0o500);
    expect(update(feature, "design", { started: AT })).toBe(false);
    chmodSync(feature, 0o700);
  });
});

describe("updatePhaseState during a run", () => {
  let told: string[] = [];
  beforeEach(() => {
    told = [];
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => told.push(String(text)) > 0);
    return () => stderr.mockRestore();
  });

  test.for<[string, string, boolean]>([
    ["this feature", "docs/features/001-login", false],
    ["this feature by another path", "docs/./features/001-login/", false],
    ["a different feature", "docs/features/002-cart", true],
    ["a different workflow", "docs/requirements/REQ-0001-login", true],
  ])("follows the marker for %s", ([, item, expected]) => {
    put(meta);
    markRun(project, item);
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(expected);
    expect("design" in (onDisk()["phases"] as object)).toBe(expected);
  });

  test.for(["{ half", '{"item":5}'])("refuses with a damaged marker (%s)", (text) => {
    put(meta);
    writeFileSync(join(project, ".isdlc", "active"), text);
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(false);
  });

  test("refuses with a linked marker, and ignores a nearer .isdlc folder", () => {
    put(meta);
    mkdirSync(join(project, "docs", "features", ".isdlc"));
    markRun(project, "docs/features/001-login");
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(false);
    rmSync(join(project, ".isdlc", "active"));
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(true);
    symlinkSync("/dev/null", join(project, ".isdlc", "active"));
    expect(updatePhaseState(feature, "design", { completed: AT })).toBe(false);
  });

  test("prints a one-line warning to stderr", () => {
    put(meta);
    markRun(project, "docs/features/001-login");
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(false);
    expect(told).toEqual(["[spec] .meta.json was not written: a run is open for this feature\n"]);
  });
});
