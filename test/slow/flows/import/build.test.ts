import { describe, expect, test } from "vitest";
import { published } from "../../../import/published-folders.ts";
import { fingerprint, place } from "../../../import/source-folders.ts";
import { ANALYSIS, BUILD, DOCUMENTS, phasesRun, turns } from "../../../items-cli/prepared-item.ts";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

const PHASES = [...ANALYSIS, ...BUILD];
const OPTIONS = ["--yes", "--on-partial", "resume", "--allow-dirty", "--json"];

/** Builds an item with an agent that answers at once. Returns the phases that ran. */
async function build(sandbox: Sandbox, item: string): Promise<readonly string[]> {
  const built = await sandbox.script("build", item, ...OPTIONS, ...sandbox.agent);
  expect([built.code, parsed(built).run.status]).toEqual([0, "completed"]);
  return phasesRun(sandbox);
}

describe("feature specified with another tool", () => {
  test.for(published)("builds $format $name from $begins on", async (folder) => {
    const sandbox = await createSandbox();
    sandbox.plan({ turns });
    const source = place(sandbox, folder.name, folder.files);
    const before = fingerprint(source);
    const { items } = parsed(await sandbox.script("import", source, "--json"));
    expect(await build(sandbox, items[0].folder)).toEqual(PHASES.slice(PHASES.indexOf(folder.begins)));
    expect(fingerprint(source)).toBe(before);
  });
});

test("prints the use of each document and records it in the item", async () => {
  const sandbox = await createSandbox();
  const [albums] = published;
  if (albums === undefined) throw new Error("no folder");
  const imported = await sandbox.script("import", place(sandbox, albums.name, albums.files));
  expect(imported.stdout).toContain("spec.md, quickstart.md -> requirements-spec.md");
  expect(imported.stdout).toContain("Not taken: checklists/requirements.md");
  const meta = sandbox.json("docs/requirements/photo-albums/meta.json");
  expect(meta).toMatchObject({ description: "Photo albums", analysis_status: "analyzed", phases_completed: ANALYSIS });
  expect(sandbox.read("BACKLOG.md")).toContain("[A]");
  expect(sandbox.read("docs/requirements/photo-albums/tasks.md")).toContain("T001 Create src/albums.ts");
});

describe("item of an earlier framework", () => {
  test.for<[string, Record<string, string>, string]>([
    ["its record", { "meta.json": JSON.stringify({ description: "Login", phases_completed: ANALYSIS }) }, "05"],
    ["the state of its workflow", {}, "02"],
  ])("builds the remaining phases according to %s", async ([, record, begins]) => {
    const sandbox = await createSandbox();
    sandbox.plan({ turns });
    const item = "docs/requirements/REQ-0007-login";
    const documents = begins === "05" ? DOCUMENTS : DOCUMENTS.slice(0, 2);
    const files = { ...record, ...Object.fromEntries(documents.map((name) => [name, `# ${name}\n`])) };
    const status = {
      "00-quick-scan": "completed",
      "01-requirements": "completed",
      "02-impact-analysis": "in_progress",
    };
    const source = place(sandbox, "old-project", {
      ".isdlc/state.json": JSON.stringify({
        active_workflow: { artifact_folder: "REQ-0007-login", phase_status: status },
      }),
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${item}/${name}`, text])),
    });
    const before = fingerprint(source);
    expect(await sandbox.script("import", source)).toMatchObject({ code: 0, stderr: "" });
    const ran = await build(sandbox, "REQ-0007-login");
    expect(ran).toEqual(PHASES.slice(PHASES.findIndex((phase) => phase.startsWith(begins))));
    expect(fingerprint(source)).toBe(before);
  });
});
