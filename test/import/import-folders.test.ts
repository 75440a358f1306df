import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { earlierPhases } from "../../src/core/import/earlier-state.ts";
import { formatsOf, mapFolder } from "../../src/core/import/foreign-spec.ts";
import { computeStartPhase } from "../../src/core/items/start-phase.ts";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";
import { ANALYSIS, BUILD, phasesRun, turns } from "../items-cli/prepared-item.ts";
import { published } from "./published-folders.ts";

function place(sandbox: Sandbox, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(sandbox.base, "elsewhere", name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Everything in a folder, so that a change anywhere shows. */
const fingerprint = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      try {
        return `${name} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`;
      } catch {
        return name;
      }
    })
    .join("\n");

describe("each published folder is known, and covers what it says:", () => {
  test("there are three of each format, with and without a design", () => {
    const formats = published.map(({ format }) => format);
    for (const format of ["spec-kit", "openspec", "kiro"])
      expect(formats.filter((one) => one === format)).toHaveLength(3);
    expect(new Set(published.map(({ begins }) => begins)).size).toBe(2);
  });

  test.for(published)("$format $name", ({ name, format, files, title, begins }) => {
    const texts = new Map(Object.entries(files));
    expect(formatsOf(texts)).toEqual([format]);
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

test.concurrent("an imported spec-kit feature is built from where its documents end", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  const [albums] = published;
  if (albums === undefined) throw new Error("no folder");
  const source = place(sandbox, albums.name, albums.files);
  const before = fingerprint(source);
  const imported = await sandbox.script("import", source);
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  expect(imported.stdout).toContain("spec.md, quickstart.md -> requirements-spec.md");
  expect(imported.stdout).toContain("Not taken: checklists/requirements.md");
  expect(fingerprint(source)).toBe(before);
  const meta = sandbox.json("docs/requirements/photo-albums/meta.json");
  expect(meta).toMatchObject({ description: "Photo albums", analysis_status: "analyzed", phases_completed: ANALYSIS });
  expect(sandbox.read("BACKLOG.md")).toContain("[A]");
  const built = await sandbox.script("build", "photo-albums", "--yes", "--allow-dirty", "--json", ...sandbox.agent);
  expect([built.code, parsed(built).run.status]).toEqual([0, "completed"]);
  expect(phasesRun(sandbox)).toEqual(BUILD);
  expect(sandbox.read("docs/requirements/photo-albums/module-design.md")).toContain("T001 Create src/albums.ts");
});

test.concurrent("an imported change without a design is built from the impact analysis on", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  const change = published.find(({ name }) => name === "remove-legacy-export");
  if (change === undefined) throw new Error("no folder");
  await sandbox.script("import", place(sandbox, change.name, change.files));
  const options = ["--yes", "--on-partial", "resume", "--allow-dirty", "--json"];
  const built = await sandbox.script("build", "remove-legacy-export", ...options, ...sandbox.agent);
  expect(parsed(built).run.status).toBe("completed");
  expect(phasesRun(sandbox)[0]).toBe("02-impact-analysis");
});

test.concurrent("an earlier framework's items come with their documents and the phases that are done", async () => {
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
  expect(again.stderr).toContain("REQ-0001-login is there already and stays as it is");
  expect(again.stdout).toContain("0 of 2 items");
});

test.for<[string, unknown, unknown, number]>([
  ["by its own record", { phases_completed: ["00-quick-scan", "01-requirements"] }, null, 2],
  ["by the old field", { phase_a_completed: true }, null, 5],
  ["with a gap", { phases_completed: ["00-quick-scan", "03-architecture"] }, null, 1],
  [
    "of another item's workflow",
    {},
    { active_workflow: { artifact_folder: "other", phase_status: { "00-quick-scan": "completed" } } },
    0,
  ],
  ["by nonsense", "nonsense", ["nonsense"], 0],
])("how far an earlier item is, %s", ([, meta, state, count]) => {
  expect(earlierPhases("mine", meta, state)).toHaveLength(count);
});

test.concurrent("what is not known, or tries to be more than it is, is refused", async () => {
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
