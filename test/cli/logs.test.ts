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
  test("shows the newest execution, and names the others", async () => {
    const { code, stdout } = await sandbox.script("logs");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^▸ final-review#1\.1\n/);
    expect(stdout).toMatch(/\nAlso: plan#1\.1, implement#1\.1.* \(isdlc logs <execution>\)\n$/);
  });

  test.each(["plan", "plan#1", "plan#1.1"])("%s names what the planner said and was refused", async (name) => {
    const { stdout } = await sandbox.script("logs", name);
    expect(stdout).toMatch(/^▸ plan#1\.1\nlooking around\nNot allowed: curl example\.org\n/);
    expect(stdout).not.toContain("writing");
  });

  test("what nobody worked on is told, with what there is", async () => {
    const { code, stderr } = await sandbox.script("logs", "deploy");
    expect(code).toBe(2);
    expect(stderr).toContain('No agent has worked on "deploy" in this run; there are plan#1.1, implement#1.1');
  });

  test("programs get the executions with their lines", async () => {
    const { executions } = parsed(await sandbox.script("logs", "plan", "--json"));
    expect(executions).toMatchObject([
      { execution: "plan#1.1", lines: ["looking around", expect.anything(), expect.anything()] },
    ]);
  });

  test("-f goes on until the run has ended, and tells of waits", async () => {
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

  test("without a run there is nothing to show", async () => {
    const other = await createSandbox();
    expect((await other.script("logs")).stderr).toContain("NO_RUN");
  });
});
