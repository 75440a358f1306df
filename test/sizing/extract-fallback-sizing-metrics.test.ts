import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { extractFallbackSizingMetrics } from "../../src/library/extract-fallback-sizing-metrics.ts";

const ITEM = "docs/requirements/REQ-0001-login";
const nothing = { metrics: null, source: null };

function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "isdlc-sizing-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe("extractFallbackSizingMetrics [SIZE-INPUT]", () => {
  const scan = { [`${ITEM}/quick-scan.md`]: '{ "affected_file_count": 4 }' };
  const spec = { [`${ITEM}/requirements-spec.md`]: "Scope: LARGE" };

  test.for<[string, Record<string, string>, number | null, string | null]>([
    ["the quick scan", { ...scan, ...spec }, 4, "quick-scan"],
    ["the requirements if the scan has no count", { ...spec, [`${ITEM}/quick-scan.md`]: "" }, 25, "requirements-spec"],
    ["the requirements without a scan", spec, 25, "requirements-spec"],
    ["no metrics without files", {}, null, null],
    ["no metrics from an oversized file", { [`${ITEM}/quick-scan.md`]: `Scope: SMALL${" ".repeat(2e6)}` }, null, null],
  ])("reads %s", ([, files, count, source]) => {
    const found = extractFallbackSizingMetrics("REQ-0001-login", project(files));
    expect([found.metrics?.file_count ?? null, found.source]).toEqual([count, source]);
  });

  test("accepts the item's name, path and full path", () => {
    const root = project(scan);
    for (const folder of ["REQ-0001-login", ITEM, join(root, ITEM)])
      expect(extractFallbackSizingMetrics(folder, root)).toMatchObject({ source: "quick-scan" });
  });

  test("reads nothing outside the project, even through a link", () => {
    const outside = project({ "quick-scan.md": "Scope: SMALL" });
    const root = project({ "docs/requirements/README.md": "" });
    symlinkSync(outside, join(root, "docs/requirements/REQ-0002-link"));
    for (const folder of [outside, `../${outside.split("/").at(-1)}`, "REQ-0002-link", "../../../..", "\0", "/"])
      expect(extractFallbackSizingMetrics(folder, root)).toEqual(nothing);
  });

  test.for<[unknown, unknown]>([
    [null, "/tmp"],
    ["", "/tmp"],
    [{}, []],
    ["x", "/no/such/project"],
    ["x", ""],
    ["x", "\0"],
    [undefined, undefined],
  ])("returns nothing for %j in %j", ([folder, root]) => {
    expect(extractFallbackSizingMetrics(folder, root)).toEqual(nothing);
  });

  test("returns nothing for a folder instead of a file", () => {
    expect(extractFallbackSizingMetrics("REQ-0001-login", project({ [`${ITEM}/quick-scan.md/x`]: "" }))).toEqual(
      nothing,
    );
  });
});
