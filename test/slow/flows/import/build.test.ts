import { expect, test } from "vitest";
import { published } from "../../../import/published-folders.ts";
import { fingerprint, place } from "../../../import/source-folders.ts";
import { ANALYSIS, BUILD, phasesRun, turns } from "../../../items-cli/prepared-item.ts";
import { createSandbox, parsed } from "../../../support/cli.ts";

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
