import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verbs } from "../../../../src/surfaces/cli/grammar/catalog.ts";
import { verbHelp } from "../../../../src/surfaces/cli/grammar/help.ts";
import { createSandbox, type Outcome, parsed } from "../../../support/cli.ts";

const named = verbs.map(({ name }) => name).filter((name) => name !== "do");
const ESCAPE = "\u001B";

/** Runs a few at a time: each is a process. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker()]);
}

function expectContract(verb: string, outcome: Outcome): void {
  const { code, stderr } = outcome;
  expect([0, 1, 2, 3], `${verb} ${stderr}`).toContain(code);
  expect(stderr, verb).not.toMatch(/\n {4}at |UnhandledPromise|node:internal/);
  const json = parsed(outcome);
  if (code === 0) expect(json.ok, verb).toBe(true);
  if (json.problem !== undefined) {
    expect(json, verb).toMatchObject({
      ok: false,
      problem: { code: expect.stringMatching(/^[A-Z_]+$/), what: expect.any(String), fix: expect.any(String) },
    });
    expect(code, verb).toBe(json.problem.code === "USAGE" ? 2 : 1);
  }
  if (code === 3) expect(json.choice ?? json.run?.waiting, verb).toBeTruthy();
}

test.concurrent("prints one JSON object and asks no question in every command", async () => {
  const closed = await createSandbox();
  const open = await createSandbox();
  expect((await open.script("add a greeting", "--supervised", ...open.agent)).code).toBe(3);
  const apart = new Set(["demo", "mcp", "ui"]); // long, or serving until closed
  await each(
    named.filter((name) => !apart.has(name)),
    async (verb) => {
      expectContract(verb, await closed.script(verb, "--json"));
      expectContract(verb, await open.script(verb, "--json"));
    },
  );
  expectContract("nothing", await closed.script("--json"));
  expectContract("a title", await closed.script("tidy up", "--json"));
  expect((await open.status()).waiting.id).toMatch(/^plan#1/);
  expect(open.log()).toHaveLength(1);
});

test.concurrent("rejects deciding commands without a run, without a person and from agents", async () => {
  const sandbox = await createSandbox();
  for (const verb of ["gate", "continue", "review", "redo", "retry", "skip", "answer", "cancel", "resume", "check"])
    expect(parsed(await sandbox.person(verb, "--json")).problem.code, verb).toBe("NO_RUN");
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  for (const args of [["continue"], ["review"], ["redo", "x"], ["answer", "continue"], ["cancel", "--reason", "x"]]) {
    const refused = await sandbox.script(...args, "--json");
    expect(refused.code).toBe(1);
    expect(parsed(refused).problem.code, args.join(" ")).toBe("NEEDS_PERSON");
  }
  const wrong = await sandbox.start(["continue", "--json", "--token", "isdlc_wrong"]).ended;
  expect(parsed(wrong).problem.code).toBe("TOKEN_REFUSED");
  const agent = await sandbox.start(["continue", "--json"], { ISDLC_OPERATOR_TOKEN: sandbox.token, CLAUDECODE: "1" })
    .ended;
  expect(parsed(agent).problem.code).toBe("ANSWERED_BY_AGENT");
  expect((await sandbox.status()).waiting.id).toMatch(/^plan#1/);
});

test.concurrent("lists every command in help and completion scripts", async () => {
  const sandbox = await createSandbox();
  for (const verb of verbs) {
    const text = verbHelp(verb).join("\n");
    expect(text.replaceAll(/\s+/g, " "), verb.name).toContain(`Usage: ${verb.usage.replaceAll(/\s+/g, " ")}`);
    for (const option of Object.keys(verb.options)) expect(text, verb.name).toContain(`--${option}`);
  }
  for (const args of [
    ["continue", "--help"],
    ["help", "continue"],
  ])
    expect(await sandbox.script(...args)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage: isdlc continue"),
    });
  const overview = (await sandbox.script("help", "--all")).stdout;
  for (const name of named) expect(overview).toContain(`  ${name} `);
  expect((await sandbox.script("help", "redo")).stdout).toContain('Usage: isdlc redo "<guidance>"');
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await sandbox.script("completion", shell);
    expect(code).toBe(0);
    for (const name of named) expect(stdout, shell).toContain(name);
    const file = join(sandbox.base, `completion.${shell}`);
    writeFileSync(file, stdout);
    if (shell !== "fish") execFileSync("bash", ["-n", file]);
  }
  expect((await sandbox.script("completion", "tcsh")).code).toBe(2);
  for (const word of ["--version", "version"])
    expect((await sandbox.script(word)).stdout).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+\n$/);
});

describe.concurrent("wrong usage", () => {
  test.each([
    [["status", "--nonsense"]],
    [["feature"]],
    [["feature", "  "]],
    [["feature", "x".repeat(501)]],
    [["fix", "a bug", "--light"]],
    [["change things", "--commits", "often"]],
    [["change things", "--mode", "lazy"]],
    [["change things", "--review", "07"]],
    [["change things", "--agent-command", "'unclosed"]],
    [["config", "set", "supervised_mode.enabled"]],
  ])("exits with code 2 and writes nothing: %j", async (args) => {
    const sandbox = await createSandbox();
    const begins = !["status", "config"].includes(args[0] ?? "") && !args.includes("--agent-command");
    const refused = await sandbox.person(...args, "--json", ...(begins ? ["--agent-command", "node"] : []));
    expect(refused.code, refused.stdout).toBe(2);
    expect(parsed(refused).problem).toMatchObject({ code: "USAGE", fix: expect.stringContaining("Usage: ") });
    const left = readdirSync(sandbox.root);
    expect(left.filter((name) => name !== ".git" && name !== "README.md")).toEqual([]);
  });
});

test.concurrent("supports -C and NO_COLOR, and rejects unknown folders, workflows, runs and agents", async () => {
  const sandbox = await createSandbox();
  mkdirSync(join(sandbox.root, "src/deep"), { recursive: true });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const below = parsed(await sandbox.script("-C", "src/deep", "status", "--json"));
  expect(below.run.current).toBe("plan");
  const missing = await sandbox.script("-C", "nowhere", "status", "--json");
  expect([missing.code, parsed(missing).problem.what]).toEqual([2, `There is no folder ${sandbox.root}/nowhere.`]);
  expect((await sandbox.script("-C", "README.md", "status")).code).toBe(2);
  for (const args of [["status"], ["gate"], ["history"], ["status", "--no-color"]]) {
    const { stdout, stderr } = await sandbox.start(args, { NO_COLOR: "1", FORCE_COLOR: "1" }).ended;
    expect(stdout + stderr).not.toContain(ESCAPE);
  }
  expect(parsed(await sandbox.script("run", "nonsense", "x", "--json")).run?.id ?? "none").not.toBe("none");
  const other = await createSandbox();
  const unknown = await other.script("run", "nonsense", "x", "--json");
  expect(parsed(unknown).problem).toMatchObject({ code: "WORKFLOW_UNKNOWN", valid: expect.arrayContaining(["fix"]) });
  expect(parsed(await other.script("status", "--run", "../../etc", "--json")).problem.code).toBe("USAGE");
  const gone = await other.script("status", "--run", "20260101-000000000-abcd", "--json");
  expect([gone.code, parsed(gone).problem.what]).toEqual([2, "There is no run 20260101-000000000-abcd here."]);
  const agentless = await other.script("tidy up", "--json", "--agent-command", "/nowhere/agent");
  expect(parsed(agentless).problem.code).toBe("AGENT_MISSING");
});

test.concurrent("says what it found without a run, and shows the open run otherwise", async () => {
  const sandbox = await createSandbox();
  const bare = await sandbox.script();
  expect(bare.code).toBe(0);
  for (const offer of ["isdlc adopt", 'isdlc "<change>"', "isdlc demo", "isdlc help"])
    expect(bare.stdout).toContain(offer);
  expect(bare.stdout.trim().split("\n").length).toBeLessThanOrEqual(12);
  expect((await sandbox.script("--help")).stdout.trim().split("\n").length).toBeLessThanOrEqual(22);
  expect(parsed(await sandbox.script("--json"))).toEqual({ ok: true, run: null });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const { id } = await sandbox.status();
  for (const args of [[], ["fix", "another thing", ...sandbox.agent], ["something else", ...sandbox.agent]]) {
    const again = await sandbox.script(...args);
    expect(again.code).toBe(3);
    expect(again.stdout).toContain("A review was in progress for Plan.");
    expect(again.stdout).toContain("[C] Continue to next phase");
    const told = await sandbox.script(...args, "--json");
    expect([told.code, parsed(told).run.id]).toEqual([3, id]);
  }
  expect(readdirSync(join(sandbox.root, ".isdlc/journal")).filter((name) => name.endsWith(".jsonl"))).toEqual([
    `${id}.jsonl`,
  ]);
  expect(sandbox.log()).toHaveLength(1);
});
