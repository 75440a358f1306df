import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const URL = "https://github.com/o/r/issues/42";

/** A program of the user, first in PATH. */
function programOf(sandbox: Sandbox, name: string, script: string): Record<string, string> {
  const folder = join(sandbox.base, "tools");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return { PATH: `${folder}:${sandbox.env["PATH"] ?? ""}` };
}

test.concurrent("adds an item with the issue's title from gh and finds it by URL", async () => {
  const sandbox = await createSandbox();
  const path = programOf(sandbox, "gh", `echo '{"title":"Round half up"}'; echo "$@" > "${sandbox.base}/asked"`);
  const added = await sandbox.start(["add", URL], path).ended;
  expect(added.stdout).toContain("Added docs/requirements/round-half-up");
  expect(sandbox.json("docs/requirements/round-half-up/meta.json")).toMatchObject({
    description: "Round half up",
    source: "github",
    source_id: "GH-42",
    source_url: URL,
  });
  expect(sandbox.read("docs/requirements/round-half-up/draft.md")).toContain(URL);
  const dryRun = parsed(
    await sandbox.start(["build", URL, "--dry-run", "--json", ...sandbox.agent], path).ended,
  ).dryRun;
  expect(dryRun.head).toMatchObject({ title: "Round half up", branch: "feature/round-half-up" });
});

test.concurrent.each([
  { why: "is missing", script: null },
  { why: "fails", script: "exit 1" },
  { why: "prints invalid output", script: "echo nothing" },
])("asks for the title if gh $why, or takes it from the arguments", async ({ script }) => {
  const sandbox = await createSandbox();
  const path = programOf(sandbox, script === null ? "other" : "gh", script ?? "");
  const nothing = await sandbox.start(["add", URL], path).ended;
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining(`The title of ${URL} could not be read.`) });
  const said = await sandbox.start(["add", URL, "Round", "half up"], path).ended;
  expect(said.stdout).toContain("Added docs/requirements/round-half-up");
});

test.concurrent("names the issue in the pull request of its run", async () => {
  const sandbox = await createSandbox();
  await sandbox.person(URL, "Round half up", ...sandbox.agent);
  await sandbox.person("continue");
  const ended = await sandbox.person("answer", "pr");
  expect(ended.stdout).toContain("--body-file .isdlc/reviews/pull-request.md");
  const body = sandbox.read(".isdlc/reviews/pull-request.md");
  expect(body).toContain(`Issue: ${URL}`);
  expect(body).toMatch(/## Plan\n\n~~~text\n# plan/);
  expect(body).toMatch(/\| Implementation \| .* \| approved \(1\) \|/);
});

test.concurrent("confirms a word that matches no item before paid work starts", async () => {
  const sandbox = await createSandbox();
  const asked = parsed(await sandbox.script("analyze", "login", "--json", ...sandbox.agent));
  expect(asked).toMatchObject({ ok: false, choice: { kind: "confirm", flag: "--yes" } });
  expect(asked.choice.about.join()).toContain('There is no item "login" yet.');
  expect(sandbox.log()).toEqual([]);
});

test.concurrent("removes an item's folder and line, and saves the folder", async () => {
  const sandbox = await createSandbox();
  for (const title of ["Login page", "Logout page"]) await sandbox.script("add", title);
  expect((await sandbox.script("items", "remove", "login-page", "--yes")).stderr).toContain("NEEDS_PERSON");
  const open = await sandbox.person("items", "remove", "login-page");
  expect(open).toMatchObject({ code: 3, stdout: expect.stringContaining("This removes docs/requirements/login-page") });
  const removed = await sandbox.person("items", "remove", "login-page", "--yes");
  expect(removed.stdout).toContain("Its folder is kept in .isdlc/removed/login-page; move it back to undo.");
  expect(sandbox.read("BACKLOG.md")).not.toContain("Login page");
  expect(sandbox.read("BACKLOG.md")).toContain("Logout page");
  expect(sandbox.json(".isdlc/removed/login-page/meta.json")).toMatchObject({ description: "Login page" });
  expect((await sandbox.script("items")).stdout).not.toContain("login-page");
  expect((await sandbox.person("items", "remove", "login-page", "--yes")).stderr).toContain("ITEM_UNKNOWN");
});

test.concurrent("refuses to remove an item with an open run", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { "00-quick-scan": [{ exit: 3 }] } });
  await sandbox.script("analyze", "Login page", ...sandbox.agent);
  const refused = await sandbox.person("items", "remove", "login-page", "--yes");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("ITEM_BUSY") });
  expect(refused.stderr).toContain('isdlc cancel --reason "…" --item login-page');
});
