import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/cli.ts";
import { waitsForItems, whileItemsLocked } from "./items-locked.ts";
import { turns } from "./prepared-item.ts";

const ITEM = "docs/requirements/REQ-0001-dark-mode";

/** Kills a start that has opened its run and waits to record the item. */
const killBeforeRecord = (sandbox: Sandbox, args: readonly string[]): Promise<void> =>
  whileItemsLocked(sandbox.state, async () => {
    const { child, ended } = sandbox.start([...args, "--supervised", ...sandbox.agent]);
    await waitsForItems(sandbox.state, child);
    child.kill("SIGKILL");
    await ended;
  });

const ready = async (files: Readonly<Record<string, string>> = {}): Promise<Sandbox> => {
  const sandbox = await createSandbox({ files });
  sandbox.plan({ turns });
  return sandbox;
};

const begun = async (files?: Readonly<Record<string, string>>): Promise<Sandbox> => {
  const sandbox = await ready(files);
  await killBeforeRecord(sandbox, ["build", files === undefined ? "Dark mode" : "3.1"]);
  expect(existsSync(join(sandbox.root, ITEM))).toBe(false);
  expect(await sandbox.status()).toMatchObject({ item: ITEM, status: "interrupted" });
  return sandbox;
};

function expectRecord(sandbox: Sandbox): void {
  expect(sandbox.read(`${ITEM}/draft.md`)).toContain("# Dark mode");
  expect(sandbox.json(`${ITEM}/meta.json`)).toMatchObject({ description: "Dark mode", slug: "REQ-0001-dark-mode" });
  expect(sandbox.read("BACKLOG.md").match(/Dark mode/g)).toHaveLength(1);
}

test.concurrent("records the item after a kill between opening the run and recording [BUILD-AC-007-03]", async () => {
  const sandbox = await begun();
  const resumed = await sandbox.script("resume", ...sandbox.agent);
  expect(resumed.stderr).toContain(`Added ${ITEM}`);
  expectRecord(sandbox);
});

type Left = readonly [what: string, files: Readonly<Record<string, string>> | null];
const left: readonly Left[] = [
  ["an empty folder", {}],
  ["a folder with its draft", { "draft.md": "# Dark mode\n" }],
  ["its backlog line", null],
];

test.concurrent.for(left)("adds only the rest after another kill that left %s [BUILD-AC-007-03]", async ([, files]) => {
  const sandbox = await begun();
  const line = `- 1.1 [ ] Dark mode -> [requirements](${ITEM}/)`;
  sandbox.write("BACKLOG.md", `# Backlog\n\n## Open\n\n${line}\n\n## Completed\n`);
  if (files !== null) mkdirSync(join(sandbox.root, ITEM), { recursive: true });
  for (const [name, text] of Object.entries(files ?? {})) sandbox.write(`${ITEM}/${name}`, text);
  await sandbox.script("resume", ...sandbox.agent);
  expectRecord(sandbox);
});

test.concurrent("adds no second backlog line for an existing one [BUILD-US-003-01]", async () => {
  const sandbox = await begun({ "BACKLOG.md": "# Backlog\n\n## Open\n\n- 3.1 [ ] Dark mode\n" });
  await sandbox.script("resume", ...sandbox.agent);
  expectRecord(sandbox);
});

test.concurrent("adds nothing to a folder created by the user", async () => {
  const sandbox = await ready({ "docs/requirements/old-work/notes.md": "of the person\n" });
  await killBeforeRecord(sandbox, ["build", "old-work", "--yes"]);
  await sandbox.script("resume", ...sandbox.agent);
  expect(existsSync(join(sandbox.root, "docs/requirements/old-work/draft.md"))).toBe(false);
  expect(existsSync(join(sandbox.root, "BACKLOG.md"))).toBe(false);
});
