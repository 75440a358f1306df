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

describe("a feature's .meta.json", () => {
  test("is written once, as readable JSON, and read again", () => {
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

  test("of the first version, with five keys, is an active feature", () => {
    put({ id: "001", name: "login", mode: "quick", created: AT, worktree: null });
    expect(readSpecMeta(feature)).toMatchObject({ status: "active", mode: "quick", currentPhase: null, phases: {} });
  });

  test.for(["", "{ half", "[]", "null", '{"phases":[]}', "[".repeat(200_000)])(
    "that is damaged (%#) is read as null and never written",
    (text) => {
      put(text);
      expect(readSpecMeta(feature)).toBeNull();
      expect(update(feature, "design", { started: AT })).toBe(false);
      expect(warnings).toEqual([expect.stringContaining(".meta.json was not written")]);
      expect(readFileSync(file(), "utf8")).toBe(text);
    },
  );

  test("SPEC-R1.5: what somebody else wrote meanwhile is read again and kept", () => {
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

  test("a change that changes nothing writes nothing", () => {
    writeNewSpecMeta(feature, meta);
    const before = statSync(file()).ino;
    expect(changeSpecMeta(feature, (found) => ({ ...found }))).toEqual({ written: true });
    expect(statSync(file()).ino).toBe(before);
  });
});

describe("updatePhaseState", () => {
  test("SPEC-R1.5, SPEC-R7.3: merges into the phase; the current phase follows what is completed, nothing else", () => {
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
    ["no phase", undefined, { started: AT }],
    ["a wrong time", "design", { started: "soon" }],
    ["a foreign key", "design", { status: "completed" }],
    ["no updates", "design", null],
  ])("%s is refused, and the file stays as it was", ([, phase, updates]) => {
    put(meta);
    const before = readFileSync(file(), "utf8");
    expect(update(feature, phase, updates)).toBe(false);
    expect([readFileSync(file(), "utf8"), warnings.length]).toEqual([before, 1]);
    expect(({} as Record<string, unknown>)["started"]).toBeUndefined();
  });

  test.for([null, undefined, 5, "", "a\0b", {}, "/", "/nowhere/at/all", "..", "."])("%o is no feature", (path) => {
    expect(update(path, "design", { started: AT })).toBe(false);
  });

  test.for([".hidden", "two words", "nul", "-x"])("a folder called %s is no feature's", (name) => {
    mkdirSync(join(project, name));
    writeFileSync(join(project, name, ".meta.json"), JSON.stringify(meta));
    expect(update(join(project, name), "design", { started: AT })).toBe(false);
    expect(readSpecMeta(join(project, name))).toBeNull();
  });

  test("a folder without the file, and a file in place of the folder, are refused", () => {
    expect(update(feature, "design", { started: AT })).toBe(false);
    expect(update(join(project, "docs"), "design", { started: AT })).toBe(false);
    writeFileSync(join(project, "plain"), "");
    expect(update(join(project, "plain"), "design", { started: AT })).toBe(false);
    expect(readdirSync(feature)).toEqual([]);
  });

  test.for(["file", "folder", "parent"])("a link in place of the %s is not followed", (what) => {
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

  test.for(["completed", "abandoned", "paused"])("SPEC-R5.2, SPEC-R5.3: a feature that is %s takes none", (status) => {
    put({ ...meta, status });
    expect(update(feature, "design", { started: AT })).toBe(false);
    expect(onDisk()).toEqual({ ...meta, status });
  });

  test.skipIf(process.getuid?.() === 0)("a folder that may not be written is refused", () => {
    put(meta);
    chmodSync(feature, 0o500);
    expect(update(feature, "design", { started: AT })).toBe(false);
    chmodSync(feature, 0o700);
  });
});

describe("while a run is open for the feature", () => {
  let told: string[] = [];
  beforeEach(() => {
    told = [];
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => told.push(String(text)) > 0);
    return () => stderr.mockRestore();
  });

  test.for<[string, string, boolean]>([
    ["this feature", "docs/features/001-login", false],
    ["this feature, spelled otherwise", "docs/./features/001-login/", false],
    ["another feature", "docs/features/002-cart", true],
    ["another workflow", "docs/requirements/REQ-0001-login", true],
  ])("%s: the mark decides", ([, item, expected]) => {
    put(meta);
    markRun(project, item);
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(expected);
    expect("design" in (onDisk()["phases"] as object)).toBe(expected);
  });

  test.for(["{ half", '{"item":5}'])("a mark that was damaged (%s) refuses", (text) => {
    put(meta);
    writeFileSync(join(project, ".isdlc", "active"), text);
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(false);
  });

  test("a mark that is a link, and a folder of ours planted nearer, hide nothing", () => {
    put(meta);
    mkdirSync(join(project, "docs", "features", ".isdlc"));
    markRun(project, "docs/features/001-login");
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(false);
    rmSync(join(project, ".isdlc", "active"));
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(true);
    symlinkSync("/dev/null", join(project, ".isdlc", "active"));
    expect(updatePhaseState(feature, "design", { completed: AT })).toBe(false);
  });

  test("the warning goes to stderr, on one line", () => {
    put(meta);
    markRun(project, "docs/features/001-login");
    expect(updatePhaseState(feature, "design", { started: AT })).toBe(false);
    expect(told).toEqual(["[spec] .meta.json was not written: a run is open for this feature\n"]);
  });
});
