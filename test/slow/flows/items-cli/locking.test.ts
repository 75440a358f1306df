import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProjections } from "../../../../src/adapters/files/create-projections.ts";
import { nodeFiles } from "../../../../src/adapters/files/file-system.ts";
import { updateBacklogMarker } from "../../../../src/adapters/project-files/backlog-file.ts";
import { readDocument, replaceDocument } from "../../../../src/adapters/project-files/document-file.ts";
import { bundleProgram, type StartedProgram, startProgram } from "../../../support/bundle-program.ts";
import { createSandbox, parsed } from "../../../support/cli.ts";
import { waitsForItems, whileItemsLocked } from "../../../items-cli/items-locked.ts";
import { ANALYSIS, turns } from "../../../items-cli/prepared-item.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-locking-"));
  onTestFinished(() => removeTemporary(folder));
  return folder;
};

test("adds simultaneous items without losing one or repeating a number [LOCK-CAS]", async () => {
  const sandbox = await createSandbox();
  const titles = Array.from({ length: 8 }, (_value, index) => `Item number ${index}`);
  const added = await Promise.all(titles.map((title) => sandbox.script("add", title, "--json")));
  for (const outcome of added) expect(parsed(outcome)).toMatchObject({ ok: true, created: true });
  const lines = sandbox
    .read("BACKLOG.md")
    .split("\n")
    .filter((line) => line.startsWith("- "));
  expect(lines).toHaveLength(titles.length);
  expect(new Set(lines.map((line) => line.split(" ")[1])).size).toBe(titles.length);
  expect(readdirSync(join(sandbox.root, "docs/requirements"))).toHaveLength(titles.length);
});

test("creates one item if the same title is added six times at once [LOCK-CAS]", async () => {
  const sandbox = await createSandbox();
  const added = await Promise.all(Array.from({ length: 6 }, () => sandbox.script("add", "Login page", "--json")));
  expect(added.map((outcome) => parsed(outcome).created).filter(Boolean)).toHaveLength(1);
  expect(sandbox.read("BACKLOG.md").match(/Login page/g)).toHaveLength(1);
});

test("waits for the backlog lock before it marks the item of an ended run [LOCK-CAS]", async () => {
  const [root, state] = [temporaryFolder(), temporaryFolder()];
  const backlog = "# Backlog\n\n## Open\n\n- 1.1 [A] Login\n";
  writeFileSync(join(root, "BACKLOG.md"), backlog);
  const program = await bundleProgram(join(import.meta.dirname, "programs/mark-item.ts"));
  let marking: StartedProgram | null = null;
  await whileItemsLocked(state, async () => {
    marking = startProgram(program, [root, state, "docs/requirements/login"]);
    await waitsForItems(state, marking.child);
    expect(readFileSync(join(root, "BACKLOG.md"), "utf8")).toBe(backlog);
  });
  expect(await (marking as StartedProgram | null)?.finished).toMatchObject({ code: 0, lines: [] });
  expect(readFileSync(join(root, "BACKLOG.md"), "utf8")).toBe(backlog.replace("[A]", "[x]"));
  expect(readdirSync(state)).toEqual([]);
});

test("overwrites no file that changed after it was read, and leaves no temporary file [LOCK-CAS]", () => {
  const folder = temporaryFolder();
  const file = join(folder, "BACKLOG.md");
  writeFileSync(file, "# Backlog\n");
  const found = readDocument(file);
  writeFileSync(file, "# Backlog\n\nedited by the person\n");
  expect(() => replaceDocument(file, "# Ours\n", found)).toThrow("it has changed since it was read");
  expect(() => replaceDocument(file, "# Ours\n", null)).toThrow("it has changed since it was read");
  expect(readFileSync(file, "utf8")).toBe("# Backlog\n\nedited by the person\n");
  expect(readdirSync(folder)).toEqual(["BACKLOG.md"]);
  expect(updateBacklogMarker(file, "none", "A")).toBe(false);
});

test("keeps every record of a run and two simultaneous analyses [LOCK-CAS]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  await Promise.all(["One thing", "Other thing"].map((title) => sandbox.script("add", title)));
  const ended = await Promise.all([
    sandbox.script("analyze", "one-thing", "--yes", ...sandbox.agent),
    sandbox.script("analyze", "other-thing", "--yes", ...sandbox.agent),
    sandbox.script("third thing", "--review", "plan", ...sandbox.agent),
  ]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 3]);
  for (const slug of ["one-thing", "other-thing"])
    expect(sandbox.json(`docs/requirements/${slug}/meta.json`)).toMatchObject({ phases_completed: ANALYSIS });
  expect(sandbox.read("BACKLOG.md")).toMatch(
    /\[A\] One thing[^]*\[A\] Other thing|\[A\] Other thing[^]*\[A\] One thing/,
  );
  expect(await sandbox.status()).toMatchObject({ description: "third thing" });
});

test.for([
  ["no version", {}, 0],
  ["a version", { state_version: 41 }, 41],
  ["a version of the wrong type", { state_version: "many" }, 0],
  ["a negative version", { state_version: -3 }, 0],
  ["a fractional version", { state_version: 1.5 }, 0],
] as const)("accepts an earlier state.json with %s and keeps its settings [LOCK-VERSION]", ([, found, version]) => {
  const root = temporaryFolder();
  mkdirSync(join(root, ".isdlc"));
  writeFileSync(join(root, ".isdlc/state.json"), JSON.stringify({ ...found, project: "mine" }));
  const projections = createProjections(root, nodeFiles);
  const warning = projections.writeStateFile((file) => ({ ...file.user, state_version: file.version + 1 }));
  expect(warning).toBeNull();
  expect(projections.stateFile()).toMatchObject({ state_version: version + 1, project: "mine" });
});

test("increments state_version by one with every write [LOCK-VERSION]", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify({ state_version: 41, project: "mine" }));
  const version = (): number => sandbox.json(".isdlc/state.json").state_version;
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const started = version();
  expect(started).toBe(43); // one write for the option's block, one for the state at the first gate
  await sandbox.person("review", "--no-run");
  const reviewed = version();
  expect(reviewed).toBe(started + 1);
  await sandbox.script("status");
  expect(version()).toBe(reviewed);
  expect(sandbox.json(".isdlc/state.json").project).toBe("mine");
});
