import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";

const withBlock = async (block: unknown): Promise<Sandbox> => {
  const sandbox = await createSandbox();
  if (block !== undefined) sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: block }));
  return sandbox;
};

test.concurrent("runs without gates if supervision is missing or off, with identical events [SM-AC-01b, SM-AC-01c, SM-AC-03f, SM-AC-06b, SM-AC-07b, SM-AC-08c, SM-NFR-01]", async () => {
  const runs = await Promise.all(
    [undefined, { enabled: false }].map(async (block) => {
      const sandbox = await withBlock(block);
      const ended = await sandbox.script("fix", "wrong greeting", "--json", ...sandbox.agent);
      expect(ended.code).toBe(0);
      expect(parsed(ended).run).toMatchObject({ status: "completed", supervised: false, finish: "keep" });
      const { active_workflow, workflow_history } = sandbox.json(".isdlc/state.json");
      expect(active_workflow).toBeNull();
      expect(workflow_history[0]).not.toHaveProperty("review_history");
      expect(workflow_history[0].supervised_mode_enabled).toBe(false);
      const events = await sandbox.events();
      expect(events.filter(({ type }) => type.startsWith("gate."))).toEqual([]);
      expect(events.length).toBeGreaterThan(50);
      return { events: withoutTimesAndIds(events), calls: sandbox.log().map(({ key }) => key) };
    }),
  );
  expect(runs[1]).toEqual(runs[0]);
  expect(runs[0]?.calls).toHaveLength(10);
});

test.concurrent("warns at the start about review_phases entries unknown to the workflow [SM-AC-01f]", async () => {
  const sandbox = await withBlock({ enabled: true, review_phases: ["99", "plan"] });
  const started = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(started.stderr).toContain(
    'supervised_mode.review_phases names "99", which the workflow "change" does not have',
  );
  expect(started.stderr).toContain("Supervised mode: ENABLED (review gates after phases plan)");
  expect(started.stderr).toContain("It is enabled in .isdlc/state.json.");
  expect((await sandbox.status()).waiting.id).toMatch(/^plan#1\/gate/);
});

test.concurrent("gates every phase if review_phases names no phase of the workflow [SM-ERR-104]", async () => {
  const sandbox = await withBlock({ enabled: true, review_phases: ["33"] });
  const started = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(started.stderr).toMatch(/names "33", which the workflow "change" does not have, and no other: every phase/);
  expect(started.stderr).toContain("Supervised mode: ENABLED (review gates after every phase)");
  expect((await sandbox.status()).waiting).toMatchObject({ kind: "gate", loosened: null });
  sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: { enabled: true, review_phases: ["44"] } }));
  const { run } = parsed(await sandbox.person("continue", "--json"));
  expect(run.waiting).toMatchObject({ id: expect.stringMatching(/^implement#1\/gate/), loosened: null });
});

test.concurrent("warns that there is no gate if the run skips all review_phases", async () => {
  const sandbox = await withBlock({ enabled: true, review_phases: ["00"] });
  const started = await sandbox.script("feature", "sign in", "--start-phase", "16-quality-loop", ...sandbox.agent);
  expect(started.stderr).toContain("This run contains none of these phases and has no review gates.");
});

test.concurrent.each(["33", "03,33", "x"])(
  "rejects review_phases %s in config set and in --review [SM-ERR-104]",
  async (phases) => {
    const sandbox = await withBlock(undefined);
    const refused = await sandbox.person("config", "set", "supervised_mode.review_phases", phases);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/No workflow has a phase .*; valid: 00, 01/);
    const flagged = await sandbox.script("feature", "sign in", "--review", phases, ...sandbox.agent);
    expect(flagged).toMatchObject({ code: 2, stdout: "" });
    expect(flagged.stderr).not.toContain("BUILD SUMMARY");
    const set = await sandbox.person("config", "set", "supervised_mode.review_phases", "03,design,06", "--json");
    expect(parsed(set).settings).toEqual({ "supervised_mode.review_phases": ["03", "design", "06"] });
  },
);

test.concurrent("applies an edit of parallel_summary from the next gate on [SM-AC-01g, SM-AC-01h]", async () => {
  const sandbox = await withBlock({ enabled: true });
  await sandbox.script("add a greeting", ...sandbox.agent);
  expect(sandbox.read(".isdlc/reviews/phase-plan-summary.md")).toContain("## Key Decisions");
  const state = sandbox.json(".isdlc/state.json");
  sandbox.write(
    ".isdlc/state.json",
    JSON.stringify({ ...state, supervised_mode: { enabled: true, parallel_summary: false } }),
  );
  await sandbox.person("continue");
  const summary = sandbox.read(".isdlc/reviews/phase-implement-summary.md");
  expect(summary).toContain("**Status**: Completed");
  expect(summary).not.toMatch(/Key Decisions|File Changes/);
  expect((await sandbox.script("gate")).stdout.startsWith(summary)).toBe(true);
});

test.concurrent.each([
  { verb: ["fix", "wrong greeting", "-light"], told: 'The workflow "fix" has no --light' },
  { verb: ["build", "sign in", "--max-usd", "none"], told: "max-usd" },
  {
    verb: ["analyze", "sign in", "--review", "33"],
    told: 'Invalid value for --review: this workflow has no phase "33"',
  },
])("rejects wrong flags before it prints anything else: $verb", async ({ verb, told }) => {
  const sandbox = await createSandbox();
  const refused = await sandbox.script(...verb, ...sandbox.agent);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain(told);
  expect(refused.stderr).not.toMatch(/BUILD SUMMARY|Added/);
  expect(sandbox.git("status", "--porcelain")).toBe("");
});

/** Removes the setting that was read, the only other permitted difference. */
function withoutTimesAndIds(events: readonly unknown[]): Json {
  const plain = JSON.stringify(events, (key, value: unknown) =>
    ["at", "settings", "driver", "nonce", "started"].includes(key) ? undefined : value,
  );
  return plain
    .replaceAll(/[0-9]{8}-[0-9]{9}-[a-z0-9]{4}/g, "RUN")
    .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g, "HASH")
    .replaceAll(/isdlc-cli-\w+/g, "BASE");
}

test.concurrent("stops only at the chosen phases [SM-AC-01e, SM-AC-03e, SM-AC-07c]", async () => {
  const sandbox = await withBlock({ enabled: true, review_phases: ["02"] });
  const { run } = parsed(await sandbox.script("fix", "wrong greeting", "--json", ...sandbox.agent));
  expect(run).toMatchObject({ current: "02-tracing", waiting: { kind: "gate" } });
  expect(run.waiting.summary).toBe(".isdlc/reviews/phase-02-summary.md");
  expect(readdirSync(join(sandbox.root, ".isdlc/reviews"))).toEqual(["phase-02-summary.md"]);
  expect(sandbox.json(".isdlc/state.json").active_workflow.review_history).toEqual([]);
});

test.concurrent("shows a minimal summary at the gate without parallel_summary [SM-AC-01h, SM-AC-02e]", async () => {
  const sandbox = await withBlock({ enabled: true, parallel_summary: false });
  const { code } = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(code).toBe(3);
  const summary = sandbox.read(".isdlc/reviews/phase-plan-summary.md");
  expect(summary).toContain("# Phase Summary: Plan\n\n**Status**: Completed");
  expect(summary).toContain("## Artifacts Created/Modified");
  expect(summary).not.toMatch(/Key Decisions|File Changes|Duration|Links/);
  const { stdout } = await sandbox.script("gate");
  expect(stdout.startsWith(summary)).toBe(true);
  expect(stdout).toContain("[C] Continue");
});

test.concurrent("warns and starts without gates if supervised_mode has the wrong type", async () => {
  const sandbox = await withBlock("on");
  const started = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(started.stderr).toContain("warning: supervised_mode is not an object");
  expect((await sandbox.status()).waiting.id).toMatch(/^final-review/);
});

describe("light and supervised together", () => {
  const ALL = ["00", "01", "02", "03", "04", "05", "06", "16", "08"];
  const numbersOf = (run: Json): string[] => run.phases.map(({ key }: { key: string }) => key.slice(0, 2));

  test.concurrent.each([
    { flags: ["-light", "--supervised"], supervised: true },
    { flags: ["--supervised"], supervised: true },
    { flags: ["-light", "--review", "00"], supervised: true },
    { flags: ["-light"], supervised: false },
    { flags: [], supervised: false },
  ])("starts feature $flags with every phase, before sizing drops any", async ({ flags, supervised }) => {
    const sandbox = await createSandbox();
    sandbox.plan({ turns: { "00-quick-scan": [{ result: { status: "failed", summary: "stop here" } }] } });
    if (supervised) sandbox.plan({});
    const { run } = parsed(await sandbox.script(...flags, "feature", "sign in", "--json", ...sandbox.agent));
    expect(numbersOf(run)).toEqual(ALL);
    expect(run).toMatchObject({ supervised, description: "sign in", item: "docs/requirements/REQ-0001-sign-in" });
    expect(run.branch).toBe("feature/REQ-0001-sign-in");
    expect(run.waiting.kind).toBe(supervised ? "gate" : "escalation");
    const block = sandbox.json(".isdlc/state.json").supervised_mode;
    expect(block?.enabled ?? false).toBe(flags.includes("--supervised"));
  });

  test.concurrent.each([
    { flags: ["-light", "--review", "05"], phases: ALL.filter((number) => number !== "03" && number !== "04") },
    { flags: ["--yes", "--review", "05"], phases: ALL },
  ])("keeps the expected phases after the analysis of feature $flags", async ({ flags, phases }) => {
    const sandbox = await createSandbox();
    const { run } = parsed(await sandbox.script(...flags, "feature", "sign in", "--json", ...sandbox.agent));
    expect(run).toMatchObject({ current: "05-test-strategy", waiting: { kind: "gate" } });
    expect(numbersOf(run)).toEqual(phases);
    const tasks = sandbox.log().filter(({ key }) => key === "04-design tasks");
    expect(tasks).toHaveLength(phases.includes("04") ? 1 : 0);
  });

  test.concurrent("asks for the size after the impact analysis without --light or --supervised", async () => {
    const sandbox = await createSandbox();
    const { run } = parsed(await sandbox.script("feature", "sign in", "--json", ...sandbox.agent));
    expect(run).toMatchObject({ current: "02-impact-analysis", waiting: { kind: "sizing", recommended: "standard" } });
    expect(run.waiting.options).toEqual(["accept", "light", "standard"]);
    const answered = parsed(await sandbox.person("answer", "light", "--no-run", "--json"));
    expect(numbersOf(answered.run)).not.toContain("03");
  });
});

test.concurrent("imports only Node modules and files of the package at run time [SM-NFR-06]", async () => {
  const program = await builtProgram();
  const manifest: Json = JSON.parse(readFileSync(join(dirname(program), "../../package.json"), "utf8"));
  expect(Object.keys(manifest)).not.toContain("dependencies");
  expect(Object.keys(manifest)).not.toContain("optionalDependencies");
  expect(Object.keys(manifest.scripts)).not.toContain("postinstall");
  const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
  const files = ["isdlc.cjs", "later.cjs", "items.cjs", "verbs.cjs", "mcp.cjs", "ui.cjs"];
  const own = files.map((file) => `./${file}`);
  for (const file of files) {
    const source = readFileSync(join(dirname(program), file), "utf8");
    const wanted = [...source.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map((match) => match[1] ?? "");
    expect(wanted.length).toBeGreaterThan(5);
    const isText = (name: string): boolean => file === "mcp.cjs" && /^ajv(?:-formats)?\/dist\//.test(name); // part of code that ajv could generate
    expect(wanted.filter((name) => !builtins.has(name) && !own.includes(name) && !isText(name))).toEqual([]);
  }
});

test.concurrent("adds the gates of --review to the project's gates without changing a setting", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: { enabled: true, review_phases: "all" } }));
  const { run } = parsed(await sandbox.script("feature", "sign in", "--review", "08", "--json", ...sandbox.agent));
  expect(run.waiting.id).toMatch(/^00-quick-scan#1\/gate/);
  expect(run.waiting.loosened).toBeNull();
  expect(sandbox.json(".isdlc/state.json").supervised_mode.review_phases).toBe("all");
});

test.concurrent("opens the gates of --review without a settings block, and reports nothing relaxed", async () => {
  const sandbox = await createSandbox();
  const { run } = parsed(await sandbox.script("feature", "sign in", "--review", "00", "--json", ...sandbox.agent));
  expect(run.waiting).toMatchObject({ kind: "gate", loosened: null });
  expect(sandbox.json(".isdlc/state.json").supervised_mode).toBeUndefined();
});
