import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { detectFormats, mapFolder } from "../../src/core/import/foreign-spec.ts";
import { computeStartPhase } from "../../src/core/items/start-phase.ts";
import { createSandbox, parsed } from "../support/cli.ts";
import { ANALYSIS, BUILD } from "../items-cli/prepared-item.ts";
import { fingerprint, place } from "./source-folders.ts";
import { published } from "./published-folders.ts";
import { earlierPhases } from "../../src/core/items/earlier-state.ts";

describe("published folders of other tools", () => {
  test("include three per format, with and without a design", () => {
    const formats = published.map(({ format }) => format);
    for (const format of ["spec-kit", "openspec", "kiro"])
      expect(formats.filter((one) => one === format)).toHaveLength(3);
    expect(new Set(published.map(({ begins }) => begins)).size).toBe(2);
  });

  test.for(published)("are imported completely: $format $name", ({ name, format, files, title, begins }) => {
    const texts = new Map(Object.entries(files));
    expect(detectFormats(texts)).toEqual([format]);
    const item = mapFolder(format, texts, name);
    expect(item.title).toBe(title);
    expect(computeStartPhase({ phases_completed: item.phases }, [...ANALYSIS, ...BUILD]).startPhase).toBe(begins);
    const used = item.documents.flatMap(({ from }) => from);
    expect([...new Set([...used, ...item.left])].toSorted()).toEqual(Object.keys(files).toSorted());
    for (const text of texts.values())
      if (!item.left.some((one) => files[one] === text))
        expect(item.documents.some((document) => document.text.includes(text.trimEnd()))).toBe(true);
  });
});

test.concurrent("imports items of the earlier framework with documents and completed phases", async () => {
  const sandbox = await createSandbox();
  const source = place(sandbox, "old-project", {
    ".isdlc/state.json": JSON.stringify({
      active_workflow: { artifact_folder: "REQ-0002-export", phase_status: { "00-quick-scan": "completed" } },
      phases: { "01-requirements": { status: "completed" }, "02-impact-analysis": { status: "in_progress" } },
    }),
    "docs/requirements/REQ-0001-login/meta.json": JSON.stringify({ description: "Login", phases_completed: ANALYSIS }),
    "docs/requirements/REQ-0001-login/requirements-spec.md": "# Login\n",
    "docs/requirements/REQ-0002-export/requirements-spec.md": "# Export\n",
  });
  const before = fingerprint(source);
  const { items } = parsed(await sandbox.script("import", source, "--json"));
  expect(items.map(({ folder, phases }: { folder: string; phases: string[] }) => [folder, phases.length])).toEqual([
    ["REQ-0001-login", 5],
    ["REQ-0002-export", 2],
  ]);
  expect(sandbox.read("docs/requirements/REQ-0001-login/requirements-spec.md")).toBe("# Login\n");
  expect(fingerprint(source)).toBe(before);
  const again = await sandbox.script("import", source);
  expect(again.stderr).toContain("REQ-0001-login already exists and stays as it is");
  expect(again.stdout).toContain("0 of 2 items");
});

test.for<[string, unknown, unknown, number]>([
  ["from its own record", { phases_completed: ["00-quick-scan", "01-requirements"] }, null, 2],
  ["from the old field", { phase_a_completed: true }, null, 5],
  ["with a gap", { phases_completed: ["00-quick-scan", "03-architecture"] }, null, 1],
  [
    "from another item's workflow",
    {},
    { active_workflow: { artifact_folder: "other", phase_status: { "00-quick-scan": "completed" } } },
    0,
  ],
  ["from invalid values", "nonsense", ["nonsense"], 0],
])("reads the progress of an earlier item %s", ([, meta, state, count]) => {
  expect(earlierPhases("mine", meta, state)).toHaveLength(count);
});

test.concurrent("refuses unknown and ambiguous folders, and sanitizes a hostile title", async () => {
  const sandbox = await createSandbox();
  const code = async (source: string): Promise<string> =>
    parsed(await sandbox.script("import", source, "--json")).problem.code;
  expect(await code(place(sandbox, "empty", { "notes.md": "# Notes\n" }))).toBe("IMPORT_UNKNOWN");
  expect(await code(place(sandbox, "both", { "spec.md": "# A\n", "requirements.md": "# B\n" }))).toBe("IMPORT_UNKNOWN");
  expect(await code(join(sandbox.base, "nowhere"))).toBe("IMPORT_UNKNOWN");
  const linked = place(sandbox, "linked", { "notes.md": "x" });
  writeFileSync(join(sandbox.base, "secret.md"), "# Secret\n");
  symlinkSync(join(sandbox.base, "secret.md"), join(linked, "spec.md"));
  expect(await code(linked)).toBe("IMPORT_UNKNOWN");
  const hostile = place(sandbox, "hostile", { "spec.md": "# Feature Specification: ../../../etc/passwd\u001b[31m\n" });
  const taken = parsed(await sandbox.script("import", hostile, "--json"));
  expect(taken.items[0].folder).toMatch(/^[a-z0-9-]+$/);
});
