import { beforeAll, describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
  sandbox.plan({
    turns: {
      plan: [{ says: ["looking around", "Not allowed: curl example.org"] }],
      implement: [{ says: ["writing"], writes: { "src/a.txt": "a\n" } }],
    },
  });
  await sandbox.person("add greeting", ...sandbox.agent);
});

describe("isdlc logs", () => {
  test("prints the newest execution and lists the others", async () => {
    const { code, stdout } = await sandbox.script("logs");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^▸ final-review#1\.1\n/);
    expect(stdout).toMatch(/\nAlso: plan#1\.1, implement#1\.1.* \(isdlc logs <execution>\)\n$/);
  });

  test.each(["plan", "plan#1", "plan#1.1"])("prints text and denied calls of the planner for %s", async (name) => {
    const { stdout } = await sandbox.script("logs", name);
    expect(stdout).toMatch(/^▸ plan#1\.1\nlooking around\nNot allowed: curl example\.org\n/);
    expect(stdout).not.toContain("writing");
  });

  test("rejects an unknown execution and lists the existing ones", async () => {
    const { code, stderr } = await sandbox.script("logs", "deploy");
    expect(code).toBe(2);
    expect(stderr).toContain('No agent has worked on "deploy" in this run; there are plan#1.1, implement#1.1');
  });

  test("returns executions and their lines as JSON", async () => {
    const { executions } = parsed(await sandbox.script("logs", "plan", "--json"));
    expect(executions).toMatchObject([
      { execution: "plan#1.1", lines: ["looking around", expect.anything(), expect.anything()] },
    ]);
  });

  test("follows until the run ends and prints waits with -f", async () => {
    const following = sandbox.start(["logs", "-f", "plan"]);
    let seen = "";
    following.child.stdout?.on("data", (chunk: Buffer) => (seen += chunk.toString("utf8")));
    await expect.poll(() => seen).toContain("Waiting for you");
    await sandbox.person("cancel", "--reason", "enough");
    const { code, stdout } = await following.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("looking around");
    expect(stdout).toContain('Waiting for you: "add greeting" (change, waiting in final-review)');
  });

  test("reports a problem without a run", async () => {
    const other = await createSandbox();
    expect((await other.script("logs")).stderr).toContain("NO_RUN");
  });
});
