import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCheckRunner, type CheckRunnerOptions } from "../../src/adapters/checks/create-check-runner.ts";
import { failureDigest } from "../../src/core/failure-digest.ts";
import type { CheckResult } from "../../src/schema/facts.ts";
import { projectWith, type Files } from "./project.ts";

const npmProject = (program: string, files: Files = {}): string =>
  projectWith({
    "package.json": JSON.stringify({ name: "tiny", version: "1.0.0", scripts: { test: "node check.js" } }),
    "check.js": program,
    ...files,
  });

const running = new AbortController().signal;

async function runIn(root: string, options: Partial<CheckRunnerOptions> = {}): Promise<CheckResult> {
  const runner = createCheckRunner(root, { env: process.env, redact: (text) => text, ...options });
  const command = (await runner.detectTests())?.command ?? null;
  return runner.runTests({ command: command!, tree: null }, running);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

async function appears(root: string, name: string): Promise<void> {
  const changes = watch(root);
  if (!existsSync(join(root, name))) {
    do await once(changes, "change");
    while (!existsSync(join(root, name)));
  }
  changes.close();
}

const pidIn = (root: string, name: string): number => Number(readFileSync(join(root, name), "utf8"));
/** Writes its process id to a file in one step, then keeps running. */
const stayer = (name: string): string =>
  `require("fs").writeFileSync("${name}.new", String(process.pid)); require("fs").renameSync("${name}.new", "${name}"); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`;

describe("test run", () => {
  test("passes if the command exits with 0", async () => {
    expect(await runIn(npmProject("console.log('1 passed')"))).toEqual({
      name: "tests",
      ok: true,
      detail: "npm test passed",
      ranAs: "you",
    });
  });

  test("reports the last lines as plain text, without npm's own output", async () => {
    const root = npmProject(`
      for (let i = 0; i < 200; i++) console.log("line " + i);
      process.stdout.write("10%\\r50%\\r100%\\n\\n");
      console.log("\\u001b[31m✗ adds\\u001b[0m \\u001b]8;;http://x\\u0007link\\u001b]8;;\\u0007 token=hunter2");
      console.log("x".repeat(5000));
      process.exit(3)`);
    const result = await runIn(root, { redact: (text) => text.replaceAll("hunter2", "[secret]") });
    const lines = result.detail.split("\n");
    expect(result.ok).toBe(false);
    expect(lines[0]).toBe("npm test ended with exit code 3");
    expect(lines).toHaveLength(61);
    expect(lines.slice(-3)).toEqual([
      "100%",
      "✗ adds ␛]8;;http://x␇link␛]8;;␇ token=[secret]",
      `${"x".repeat(400)} […]`,
    ]);
    expect(result.detail).not.toMatch(/npm error|tiny@1\.0\.0|hunter2/);
  });

  test("redacts a secret interrupted by color codes", async () => {
    const root = npmProject(`console.log("hun\\u001b[1mter2"); process.exit(1)`);
    expect((await runIn(root, { redact: (text) => text.replaceAll("hunter2", "[secret]") })).detail).toContain(
      "[secret]",
    );
  });

  test("fails with an equal digest despite different times and folders", async () => {
    const program = `
      const folder = require("fs").mkdtempSync(require("os").tmpdir() + "/t-");
      require("fs").rmdirSync(folder);
      console.log("✗ adds in " + folder + " (" + process.hrtime()[1] % 1000 + "ms)");
      process.exit(1)`;
    const root = npmProject(program);
    const [one, two] = [await runIn(root), await runIn(root)];
    expect(one.detail).not.toBe(two.detail);
    expect(failureDigest([one])).toBe(failureDigest([two]));
  });

  test("provides no variables of git or isdlc, no input and no terminal", async () => {
    const root = npmProject(`
      const seen = Object.keys(process.env).filter((name) => /^(GIT_|ISDLC_OPERATOR)/i.test(name));
      console.log(JSON.stringify({ seen, ci: process.env.CI, input: require("fs").readFileSync(0, "utf8"), tty: process.stdout.isTTY ?? false, agent: process.env.ISDLC_AGENT }));
      process.exit(1)`);
    const env = { ...process.env, GIT_DIR: "/x", git_index_file: "y", ISDLC_OPERATOR_TOKEN: "t", CI: "" };
    const result = await runIn(root, { env });
    expect(JSON.parse(result.detail.split("\n").at(-1) ?? "")).toEqual({
      seen: [],
      ci: "1",
      input: "",
      tty: false,
      agent: "1",
    });
  });

  test("stops the tests and all their processes when aborted", async () => {
    const root = npmProject(`require("child_process").spawn(process.execPath, ["child.js"]); ${stayer("parent.pid")}`, {
      "child.js": stayer("child.pid"),
    });
    const runner = createCheckRunner(root, { env: process.env, redact: (text) => text });
    const command = (await runner.detectTests())?.command ?? null;
    const stop = new AbortController();
    const result = runner.runTests({ command: command!, tree: null }, stop.signal);
    await Promise.all([appears(root, "parent.pid"), appears(root, "child.pid")]);
    const pids = [pidIn(root, "parent.pid"), pidIn(root, "child.pid")];
    expect(pids.map(isAlive)).toEqual([true, true]);
    stop.abort(new Error("the person pressed Ctrl-C"));
    await expect(result).rejects.toThrow("the person pressed Ctrl-C");
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test("fails and stops after the time limit", async () => {
    const result = await runIn(npmProject("setInterval(() => {}, 1000)"), { timeLimit: 1500 });
    expect(result).toMatchObject({ ok: false });
    expect(result.detail).toMatch(/^npm test did not end within/);
  });

  test("passes and ends a process that is still running", async () => {
    const root = npmProject(
      `const child = require("child_process").spawn(process.execPath, ["child.js"], { stdio: "inherit", detached: true });
       child.unref();
       const look = setInterval(() => { if (require("fs").existsSync("child.pid")) clearInterval(look); }, 10);`,
      { "child.js": stayer("child.pid") },
    );
    expect(await runIn(root)).toMatchObject({ ok: true });
    expect(isAlive(pidIn(root, "child.pid"))).toBe(false);
  });

  test("reports a missing program as not started", async () => {
    const runner = createCheckRunner(projectWith({}), { env: process.env, redact: (text) => text });
    const command = { argv: ["isdlc-no-such-program", "test"], source: "x", digest: "x" };
    const result = await runner.runTests({ command, tree: null }, running);
    expect(result).toMatchObject({ name: "tests", ok: null, notStarted: true });
    expect(result.detail).toMatch(/could not be started: there is no .* on the PATH/);
  });

  test("passes arguments without a shell", async () => {
    const root = projectWith({ "show.js": "console.log(process.argv[2]); process.exit(1)" });
    const runner = createCheckRunner(root, { env: process.env, redact: (text) => text });
    const argv = [process.execPath, "show.js", "$(touch owned); touch owned"];
    const result = await runner.runTests({ command: { argv, source: "x", digest: "x" }, tree: null }, running);
    expect(result.detail.split("\n")[1]).toBe("$(touch owned); touch owned");
    expect(existsSync(join(root, "owned"))).toBe(false);
  });
});
