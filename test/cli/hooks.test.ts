import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const start = (sandbox: Sandbox, ...more: string[]) =>
  sandbox.script("add a greeting", "--json", "--supervised", ...more, ...sandbox.agent);

/** A hook that creates a file next to the repository. */
function hook(sandbox: Sandbox, text = ""): () => boolean {
  const mark = join(sandbox.root, ".git", "hook-ran");
  sandbox.write(".git/hooks/pre-commit", `#!/bin/sh\n: > "${mark}"\n${text}\n`);
  chmodSync(join(sandbox.root, ".git/hooks/pre-commit"), 0o755);
  return () => existsSync(mark);
}

const CODE = { turns: { implement: [{ writes: { "src/a.js": "1\n" } }] } };

test.concurrent("runs a repository hook after the user agreed, and asks once [S5]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(CODE);
  const ran = hook(sandbox);
  const asked = await start(sandbox);
  expect(asked.code).toBe(3);
  expect(parsed(asked).choice).toMatchObject({ kind: "trust", options: ["trust", "without"], flag: "--hooks" });
  expect(parsed(asked).choice.about.join("\n")).toContain(".git/hooks/pre-commit");
  expect(parsed(await start(sandbox, "--hooks", "trust")).run.waiting.kind).toBe("gate");
  await sandbox.person("continue");
  await sandbox.person("continue");
  expect(ran()).toBe(true);
  await sandbox.person("cancel", "--reason", "enough");
  sandbox.git("switch", "--quiet", "main");
  expect(parsed(await start(sandbox)).run.waiting.kind).toBe("gate");
});

test.concurrent("skips a hook without agreement and offers isdlc trust at the gate [S5]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan(CODE);
  const ran = hook(sandbox);
  await start(sandbox, "--hooks", "without");
  expect((await sandbox.script("gate")).stdout).toContain(
    ".git/hooks/pre-commit is not run when isdlc commits; to have it run: isdlc trust",
  );
  await sandbox.person("continue");
  await sandbox.person("continue");
  expect(ran()).toBe(false);
  const trusted = await sandbox.person("trust", "--yes");
  expect(trusted.stdout).toContain("Trusted: .git/hooks/pre-commit as it is now");
  expect((await sandbox.person("trust", "--yes")).stdout).not.toContain("pre-commit");
});

test.concurrent("skips a trusted hook changed by an agent, and prints how to remove it [S5]", async () => {
  const sandbox = await createSandbox();
  const ran = hook(sandbox);
  const planted = `#!/bin/sh\n: > .git/hook-ran\n`;
  sandbox.plan({ turns: { implement: [{ writes: { "src/a.js": "1\n", ".git/hooks/pre-commit": planted } }] } });
  await start(sandbox, "--hooks", "trust", "--sandbox", "off");
  await sandbox.person("continue");
  const { stdout } = await sandbox.script("gate");
  expect(stdout).toContain(
    ".git/hooks/pre-commit would run at your next git command; remove it: rm .git/hooks/pre-commit",
  );
  expect(stdout).toContain(".git/hooks/pre-commit is not run when isdlc commits");
  await sandbox.person("continue");
  expect(sandbox.git("log", "-1", "--format=%s")).not.toBe("");
  expect(ran()).toBe(false);
});
