import { describe, expect, test } from "vitest";
import { createSandbox, type Outcome, parsed, type Running, type Sandbox } from "../../../support/cli.ts";

const HANGS_ONCE = { turns: { plan: [{ says: ["thinking"], hangs: true }, {}] } };

type AtWork = { readonly sandbox: Sandbox; readonly driver: Running };

async function agentAtWork(): Promise<AtWork> {
  const sandbox = await createSandbox();
  sandbox.plan(HANGS_ONCE);
  const driver = sandbox.start(["add a greeting", "--supervised", ...sandbox.agent]);
  while (sandbox.log().length === 0) {
    expect(driver.child.exitCode).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { sandbox, driver };
}

async function interrupted(): Promise<Sandbox> {
  const { sandbox, driver } = await agentAtWork();
  driver.child.kill("SIGINT");
  expect((await driver.ended).code).toBe(130);
  return sandbox;
}

/** Resolves with all output on stderr so far, as soon as it contains the text. */
const waitForStderr = ({ child }: Running, what: string): Promise<string> =>
  new Promise((resolve) => {
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      if (said.includes(what)) resolve(said);
    });
  });

describe.concurrent("interrupted run", () => {
  const starts = ["", "feature", "fix", "run feature"].map((verb) => ({ verb }));

  test.for(starts)('refuses isdlc $verb "Other thing", gives the reason and starts no agent', async ({ verb }) => {
    const words = [...verb.split(" "), "Other thing"].filter((word) => word !== "");
    const sandbox = await interrupted();
    const refused = await sandbox.script(...words, ...sandbox.agent);
    expect(refused.code).toBe(3);
    expect(refused.stdout).toMatch(
      /^"Other thing" was not started, because a run is open: "add a greeting" \(change, interrupted in plan\)\.\n/,
    );
    expect(refused.stdout).toMatch(
      /\nInterrupted\.\nTo continue: isdlc resume\nOr end it: isdlc cancel --reason "…"\n$/,
    );
    const told = parsed(await sandbox.script(...words, "--json", ...sandbox.agent));
    expect(told).toMatchObject({ ok: false, notBegun: "Other thing", run: { status: "interrupted" } });
    expect([
      sandbox.log().length,
      (await sandbox.events()).filter(({ type }) => type === "run.started").length,
    ]).toEqual([1, 1]);
  });

  test("starts no second run for the same title or a command without a title", async () => {
    const sandbox = await interrupted();
    for (const words of [["add a greeting"], ["finish"]]) {
      const { code, stdout } = await sandbox.script(...words, ...sandbox.agent);
      expect([code, stdout]).toEqual([
        3,
        expect.stringMatching(/^No second run was started, because a run is open: "add/),
      ]);
    }
  });

  test("shows the interrupted run if isdlc is run without arguments", async () => {
    const sandbox = await interrupted();
    const { code, stdout } = await sandbox.script();
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/^change: add a greeting\ninterrupted[^]*isdlc resume\n$/),
    ]);
    expect(parsed(await sandbox.script("--json"))).not.toHaveProperty("notBegun");
    expect(sandbox.log()).toHaveLength(1);
  });
});

describe.concurrent("run driven by another process", () => {
  const ends = async ({ driver }: AtWork): Promise<Outcome> => {
    driver.child.kill("SIGTERM");
    return driver.ended;
  };

  test("reports the running process to a user who starts another run", async () => {
    const here = await agentAtWork();
    const { sandbox, driver } = here;
    const refused = await sandbox.script("feature", "Other thing", ...sandbox.agent);
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain('"add a greeting" (change, running in plan).');
    expect(refused.stdout).toContain(`The run continues in process ${driver.child.pid}.\nWatch it: isdlc resume\n`);
    expect(refused.stdout + refused.stderr).not.toMatch(/interrupted/i);
    const told = parsed(await sandbox.script("--json"));
    expect(told).toMatchObject({ ok: true, run: { status: "running" } });
    expect((await ends(here)).code).toBe(143);
    expect(sandbox.log()).toHaveLength(1);
  });

  test("keeps running if a watching resume is interrupted", async () => {
    const here = await agentAtWork();
    const { sandbox, driver } = here;
    const watcher = sandbox.start(["resume"]);
    await waitForStderr(watcher, `Process ${driver.child.pid} is already driving this run; watching it.`);
    watcher.child.kill("SIGINT");
    const stopped = await watcher.ended;
    expect(stopped.code).toBe(130);
    expect(stopped.stdout).toMatch(/^running · /m);
    expect(stopped.stdout).toMatch(new RegExp(`\\nThe run continues in process ${driver.child.pid}\\.\\n$`));
    expect(stopped.stdout).not.toMatch(/interrupted/i);
    expect((await sandbox.status()).status).toBe("running");
    await ends(here);
  });

  test('ends the watch with "interrupted" if the driver is killed', async () => {
    const { sandbox, driver } = await agentAtWork();
    const watcher = sandbox.start(["resume", "--json"]);
    await waitForStderr(watcher, "watching it.");
    driver.child.kill("SIGKILL");
    const left = await watcher.ended;
    expect([left.code, parsed(left)]).toMatchObject([130, { ok: false, run: { status: "interrupted" } }]);
  });
});

test("prints one JSON object to stdout and progress to stderr with --json", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { plan: [{ says: ["thinking"] }] } });
  const ended = await sandbox.script("add a greeting", "--supervised", "--json", ...sandbox.agent);
  expect(parsed(ended).run.waiting.kind).toBe("gate");
  expect(ended.stderr).toContain("Running Plan with command\nPlan #1  thinking\n");
});
