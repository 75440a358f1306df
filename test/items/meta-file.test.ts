import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inspectMeta, mergeMeta, readMetaJson, writeMetaJson } from "../../src/adapters/project-files/meta-file.ts";
import { ANALYSIS_PHASES } from "../../src/core/items/analysis-status.ts";
import { computeStartPhase } from "../../src/core/items/start-phase.ts";

let dir = "";
const file = () => join(dir, "meta.json");
const put = (value: unknown) => writeFileSync(file(), typeof value === "string" ? value : JSON.stringify(value));
const onDisk = () => JSON.parse(readFileSync(file(), "utf8")) as Record<string, unknown>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "isdlc-meta-test-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("readMetaJson", () => {
  test("returns null without a warning if the file is missing [BUILD-AC-001-04, BUILD-US-005-01]", () => {
    expect(inspectMeta(dir)).toEqual({ is: "missing" });
    expect(readMetaJson(dir)).toBeNull();
    expect(inspectMeta(join(dir, "nowhere"))).toEqual({ is: "missing" });
  });

  test.each([
    ["an empty file", ""],
    ["a truncated object", '{"analysis_status": "analyzed", '],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1e400"],
    ["UTF-16", Buffer.from('{"a":1}', "utf16le").toString("latin1")],
    ["unclosed brackets", "[".repeat(200_000)],
  ])("treats %s as damaged: raw with a warning [BUILD-AC-001-05, BUILD-ERR-002, BUILD-NFR-004]", (_name, text) => {
    put(text);
    expect(inspectMeta(dir)).toMatchObject({
      is: "damaged",
      warning: expect.stringContaining("meta.json was not read") as string,
    });
    expect(readMetaJson(dir)).toBeNull();
    expect(computeStartPhase(readMetaJson(dir), ["00-quick-scan", "05-test-strategy"])).toMatchObject({
      status: "raw",
      startPhase: null,
      remainingPhases: ["00-quick-scan", "05-test-strategy"],
    });
  });

  test("uses defaults for missing and invalid fields", () => {
    put('\ufeff{"slug":"x","phases_completed":"all","source":"","analysis_status":7}');
    const meta = readMetaJson(dir);
    expect(meta).toMatchObject({ slug: "x", phases_completed: [], source: "manual", analysis_status: "raw" });
    expect(Date.parse(meta?.created_at ?? "")).not.toBeNaN();
  });

  test("keeps prototype keys as data", () => {
    put('{"__proto__":{"enabled":true},"constructor":1,"phases_completed":[]}');
    const meta = readMetaJson(dir);
    expect(Object.getPrototypeOf(meta)).toBe(Object.prototype);
    expect((meta as Record<string, unknown>)["enabled"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["enabled"]).toBeUndefined();
    expect(mergeMeta(dir, { workflow_type: "feature" })).toEqual({ written: true });
    expect(readFileSync(file(), "utf8")).toContain('"__proto__"');
    expect(({} as Record<string, unknown>)["enabled"]).toBeUndefined();
  });

  test.each([null, undefined, 5, "", "a\0b", {}])("rejects %o as a folder", (odd) => {
    expect(readMetaJson(odd)).toBeNull();
    expect(writeMetaJson(odd, {}).written).toBe(false);
    expect(mergeMeta(odd, {}).written).toBe(false);
  });
});

describe("meta files of earlier versions [VERBS-LEGACY]", () => {
  test.each([
    [{ phase_a_completed: true }, "analyzed", ANALYSIS_PHASES],
    [{ phase_a_completed: false }, "raw", []],
    [{ phase_a_completed: "yes" }, "raw", []],
    [
      { phase_a_completed: true, analysis_status: "partial", phases_completed: ["00-quick-scan"] },
      "partial",
      ["00-quick-scan"],
    ],
  ])("convert %j to %s", (legacy, status, list) => {
    put({ slug: "x", ...legacy, notes: "kept" });
    const before = readFileSync(file(), "utf8");
    const meta = readMetaJson(dir);
    expect(meta).toMatchObject({ slug: "x", notes: "kept", analysis_status: status, phases_completed: list });
    expect(meta).not.toHaveProperty("phase_a_completed");
    expect(readFileSync(file(), "utf8")).toBe(before);
    expect(writeMetaJson(dir, { ...onDisk() })).toEqual({ written: true });
    expect(onDisk()).toEqual({ slug: "x", notes: "kept", analysis_status: status, phases_completed: list });
  });

  test("record a build in a folder without a meta file [BUILD-US-005-02]", () => {
    expect(mergeMeta(dir, { build_completed_at: "2026-11-15T10:00:00.000Z" })).toEqual({ written: true });
    expect(onDisk()).toEqual({ build_completed_at: "2026-11-15T10:00:00.000Z" });
    expect(readMetaJson(dir)).toMatchObject({ analysis_status: "raw", build_completed_at: "2026-11-15T10:00:00.000Z" });
  });
});

describe("writeMetaJson", () => {
  test("writes formatted JSON in the given order, with the status of its phases", () => {
    expect(
      writeMetaJson(dir, { z: 1, analysis_status: "analyzed", phases_completed: ["00-quick-scan"], a: { deep: [1] } }),
    ).toEqual({
      written: true,
    });
    expect(readFileSync(file(), "utf8")).toBe(
      '{\n  "z": 1,\n  "analysis_status": "partial",\n  "phases_completed": [\n    "00-quick-scan"\n  ],\n  "a": {\n    "deep": [\n      1\n    ]\n  }\n}\n',
    );
    expect(readdirSync(dir)).toEqual(["meta.json"]);
  });

  test.each([null, [], "x", 5])("rejects %o", (meta) => {
    expect(writeMetaJson(dir, meta).written).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });

  test("keeps the old file if the value cannot be JSON", () => {
    put({ kept: true });
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    for (const odd of [loop, { big: 1n }]) expect(writeMetaJson(dir, odd).written).toBe(false);
    expect(onDisk()).toEqual({ kept: true });
    expect(readdirSync(dir)).toEqual(["meta.json"]);
  });
});

describe("mergeMeta", () => {
  test("sets the engine's fields and keeps other keys, order and status [BUILD-AC-008-01, BUILD-AC-008-02]", () => {
    put({
      custom: { a: [1, 2] },
      analysis_status: "analyzed",
      codebase_hash: "abc1234",
      phases_completed: [...ANALYSIS_PHASES],
      "x-y": null,
    });
    expect(
      mergeMeta(dir, {
        build_started_at: "2026-11-15T09:00:00.000Z",
        workflow_type: "feature",
        codebase_hash: "f".repeat(40),
      }),
    ).toEqual({
      written: true,
    });
    expect(Object.entries(onDisk())).toEqual([
      ["custom", { a: [1, 2] }],
      ["analysis_status", "analyzed"],
      ["codebase_hash", "f".repeat(40)],
      ["phases_completed", [...ANALYSIS_PHASES]],
      ["x-y", null],
      ["build_started_at", "2026-11-15T09:00:00.000Z"],
      ["workflow_type", "feature"],
    ]);
  });

  test("records an accepted stale analysis next to the old hash [BUILD-AC-004-04]", () => {
    put({ codebase_hash: "abc1234" });
    mergeMeta(dir, { accepted_stale: [{ hash: "f".repeat(40), by: "Person", at: "2026-11-15T09:00:00.000Z" }] });
    expect(onDisk()).toEqual({
      codebase_hash: "abc1234",
      accepted_stale: [{ hash: "f".repeat(40), by: "Person", at: "2026-11-15T09:00:00.000Z" }],
    });
  });

  test("ignores fields of others", () => {
    put({ slug: "mine" });
    mergeMeta(dir, { slug: "theirs", hooks: "x", phases_completed: [], req_id: undefined } as object);
    expect(onDisk()).toEqual({ slug: "mine", phases_completed: [] });
  });

  test("writes nothing without a change", () => {
    mergeMeta(dir, { workflow_type: "fix" });
    const before = statSync(file()).ino;
    mergeMeta(dir, { workflow_type: "fix" });
    expect(statSync(file()).ino).toBe(before);
  });

  test("keeps a damaged file and warns about a missing folder [BUILD-ERR-006, BUILD-ERR-ORCH-META-WRITE-FAIL]", () => {
    put("{ half");
    expect(mergeMeta(dir, { workflow_type: "feature" })).toEqual({
      written: false,
      warning: expect.stringContaining("meta.json was not written") as string,
    });
    expect(readFileSync(file(), "utf8")).toBe("{ half");
    expect(mergeMeta(join(dir, "gone"), { workflow_type: "feature" }).written).toBe(false);
    expect(readdirSync(dir)).toEqual(["meta.json"]);
  });

  test.skipIf(process.getuid?.() === 0)("warns about a read-only folder [BUILD-ERR-006]", () => {
    chmodSync(dir, 0o500);
    expect(mergeMeta(dir, { workflow_type: "feature" }).written).toBe(false);
    chmodSync(dir, 0o700);
  });

  test("follows no link to the file or the folder", () => {
    const victim = join(dir, "victim");
    mkdirSync(victim);
    writeFileSync(join(victim, "meta.json"), '{"phases_completed":["00-quick-scan"]}');
    const item = join(dir, "item");
    mkdirSync(item);
    symlinkSync(join(victim, "meta.json"), join(item, "meta.json"));
    symlinkSync(victim, join(dir, "linked"));
    for (const place of [item, join(dir, "linked")]) {
      expect(inspectMeta(place).is).toBe("damaged");
      expect(mergeMeta(place, { workflow_type: "x" }).written).toBe(false);
      expect(writeMetaJson(place, { a: 1 }).written).toBe(false);
    }
    expect(readFileSync(join(victim, "meta.json"), "utf8")).toBe('{"phases_completed":["00-quick-scan"]}');
    expect(lstatSync(join(item, "meta.json")).isSymbolicLink()).toBe(true);
  });
});
