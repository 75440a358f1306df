import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Json, parsed, type Sandbox } from "../support/cli.ts";

/** The program with only git in PATH, to hide the agents installed on this machine. */
function alone(sandbox: Sandbox) {
  const bin = join(sandbox.base, "bin");
  mkdirSync(bin);
  symlinkSync(execFileSync("which", ["git"], { encoding: "utf8" }).trim(), join(bin, "git"));
  return (...args: string[]) => sandbox.start(args, { PATH: bin }).ended;
}

const finding = (json: Json, name: string) => json.findings.find((found: { name: string }) => found.name === name);

test.concurrent("abandons a run whose .isdlc was deleted with --fix, and the next run starts", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const { id } = await sandbox.status();
  rmSync(join(sandbox.root, ".isdlc"), { recursive: true });
  expect(parsed(await sandbox.script("status", "--json")).problem).toMatchObject({ code: "JOURNAL_MISSING", run: id });
  expect(parsed(await sandbox.script("doctor", "--fix", "--json")).problem.code).toBe("NEEDS_PERSON");
  expect((await sandbox.script("doctor")).code).toBe(1);

  const fixed = await sandbox.person("doctor", "--fix");
  expect(fixed).toMatchObject({ code: 0, stderr: "" });
  expect(fixed.stdout).toContain(`warn journal: ${id} is abandoned`);
  expect(fixed.stdout).not.toContain("ok   journal");
  expect(await sandbox.status()).toBeNull();
  expect(parsed(await sandbox.person("doctor", "--fix", "--json"))).toMatchObject({ ok: true });
  expect(sandbox.git("branch", "--format=%(refname:short)").split("\n")).toEqual(["change/add-a-greeting", "main"]);

  sandbox.git("switch", "--quiet", "main");
  await sandbox.script("add a farewell", "--supervised", ...sandbox.agent);
  expect((await sandbox.status()).branch).toBe("change/add-a-farewell");
});

test.concurrent("prints a warning with a command for each obstacle to a run", async () => {
  const sandbox = await createSandbox({ git: false });
  const script = alone(sandbox);
  const none = await script("doctor");
  expect([none.code, none.stderr]).toMatchObject([1, expect.stringContaining("BAD  git: no usable repository here")]);
  sandbox.git("init", "--quiet", "--initial-branch=main");
  const empty = await script("doctor");
  expect(empty.code).toBe(0);
  expect(empty.stdout).toMatch(/^warn git: no commit yet: git add --all, then git commit/m);
  expect(empty.stdout).toMatch(/^warn agents: No agent found\. Install one \(npm install -g /m);

  sandbox.git("add", "--all");
  sandbox.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", "First");
  const settings = JSON.stringify({ "agent-command": "node agent.mjs" });
  writeFileSync(join(sandbox.config, "config.json"), settings, { mode: 0o600 });
  const ready = parsed(await script("doctor", "--json"));
  expect(finding(ready, "git")).toEqual({ name: "git", ok: true, detail: "on main" });
  expect(finding(ready, "agents")).toMatchObject({ ok: true, detail: expect.stringContaining("agent-command") });
  expect(finding(ready, "agents").warning).toBeUndefined();
});

test.concurrent("escapes control, bidi and zero-width characters in names [S9]", async () => {
  const sandbox = await createSandbox();
  const home = join(sandbox.base, "\u202eh\u200bo\u001b[31m");
  mkdirSync(home);
  const { stdout } = await sandbox.start(["doctor"], { XDG_CONFIG_HOME: home, XDG_STATE_HOME: home }).ended;
  expect(stdout).toContain("user folders");
  expect(stdout).not.toMatch(/[\u202e\u200b]|\p{Cc}(?<!\n)/u);
});

test.concurrent("advises a first commit and names --no-git in a repository without commits", async () => {
  const sandbox = await createSandbox({ git: false });
  sandbox.git("init", "--quiet", "--initial-branch=main");
  const asked = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(asked.code).toBe(3);
  expect(asked.stdout).toContain("The repository has no commit yet.");
  expect(asked.stdout).toContain('Make a first commit ("git add --all", "git commit").\nRun it again with --no-git.');
});

test.concurrent("lists every exit code in help --all", async () => {
  const sandbox = await createSandbox();
  const { stdout } = await sandbox.script("help", "--all");
  expect(stdout.replaceAll(/\s+/gu, " ")).toContain(
    "0 done, 1 problem, 2 usage, 3 a person is needed, 130 and 143 interrupted",
  );
});
