import { createHash } from "node:crypto";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadPersona } from "../../../../src/adapters/project-files/definitions.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";

const OVERLAY = ".isdlc/workflows.json";
const loosening = {
  workflows: { change: { rules: { "final-review": { gate: "supervised" }, implement: { gate: "always" } } } },
  personas: { planner: { append: "APPENDED-MARK" }, "own-one": "OWN-MARK" },
};
const withOverlay = (overlay: unknown, files: Record<string, string> = {}): Promise<Sandbox> =>
  createSandbox({ files: { [OVERLAY]: JSON.stringify(overlay), ...files } });

const explained = async (sandbox: Sandbox, ...more: string[]): Promise<Json> =>
  parsed(await sandbox.script("run", "change", "--explain", "--json", ...more));
const rule = (json: Json, phase: string, name: string): Json =>
  json.phases.find((found: Json) => found.key === phase).rules.find((found: Json) => found.rule === name);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("run --explain", () => {
  test.concurrent("prints the source of each rule and the parts that need trust", async () => {
    const sandbox = await withOverlay(loosening);
    writeFileSync(
      join(sandbox.config, "workflows.json"),
      JSON.stringify({ workflows: { change: { rules: { plan: { minutes: 99 } } } } }),
    );
    const json = await explained(sandbox, "--mode", "full");
    expect(rule(json, "implement", "gate")).toMatchObject({ value: "always", from: "repository" });
    expect(rule(json, "final-review", "gate")).toMatchObject({ value: "always", from: "built-in" });
    expect(rule(json, "plan", "minutes")).toMatchObject({ value: 99, from: "user" });
    expect(rule(json, "implement", "verdicts")).toMatchObject({ value: 5, from: "mode full" });
    expect(json.refused.map((part: Json) => part.what)).toEqual([
      "the persona planner",
      "the persona own-one",
      "gate of final-review (change)",
    ]);
    expect(json.workflow.options.supervised.flag).toBe("--supervised");
  });

  test.concurrent("prints rules and their sources as text", async () => {
    const sandbox = await withOverlay(loosening);
    const { code, stdout } = await sandbox.script("run", "change", "--explain");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {4}gate +always {2}\[repository\]$/m);
    expect(stdout).toMatch(/^ {2}--supervised {2}Enable supervised mode with review gates between phases$/m);
    expect(stdout).toContain('Without effect until you trust it ("isdlc trust"):\n  the persona planner');
  });

  test.concurrent("describes every workflow with its folder, branch and options", async () => {
    const sandbox = await createSandbox();
    const upgrade = (await sandbox.script("run", "upgrade", "--explain")).stdout;
    expect(upgrade).toContain("branch: upgrade/UPG-NNNN-<title>");
    expect(upgrade).toContain("Its flags: none");
    const help = (await sandbox.script("help", "run")).stdout;
    expect(help).toMatch(/^ {2}feature +A new capability.* \(-light, --supervised\)$/m);
    expect(help).toMatch(/^ {2}test-run +The tests a project has/m);
    const refused = await sandbox.script("run", "upgrade", "to 2.0", "--supervised", ...sandbox.agent);
    expect([refused.code, refused.stderr]).toMatchObject([2, expect.stringContaining("change, feature, fix")]);
  });
});

test.concurrent("ignores relaxed rules of an overlay until a person trusts exactly this file", async () => {
  const sandbox = await withOverlay(loosening);
  const stranger = await sandbox.script("trust", "--yes");
  expect([stranger.code, stranger.stderr]).toMatchObject([1, expect.stringContaining("NEEDS_PERSON")]);
  const asked = await sandbox.person("trust", "--json");
  expect([asked.code, parsed(asked).choice]).toMatchObject([3, { kind: "trust", flag: "--yes" }]);
  const about = parsed(asked).choice.about.join("\n");
  expect(about).toContain('gate of final-review (change): it is "always" and would be "supervised"');
  expect(about).toContain("the persona planner: it is prompt text of 13 characters");
  expect(rule(await explained(sandbox), "final-review", "gate").value).toBe("always");

  expect(parsed(await sandbox.person("trust", "--yes", "--json")).overlay.loosens).toHaveLength(3);
  const json = await explained(sandbox);
  expect(rule(json, "final-review", "gate")).toMatchObject({ value: "supervised", from: "repository" });
  expect([json.refused, json.personas]).toEqual([
    [],
    [
      { name: "planner", from: "repository" },
      { name: "own-one", from: "repository" },
    ],
  ]);

  sandbox.write(OVERLAY, JSON.stringify({ ...loosening, personas: { planner: "CHANGED" } }));
  expect(rule(await explained(sandbox), "final-review", "gate").value).toBe("always");
});

describe("run with an overlay", () => {
  test.concurrent("applies stricter rules, warns about the others and keeps the shipped prompts", async () => {
    const sandbox = await withOverlay(loosening);
    const started = await sandbox.script("add a greeting", "--json", ...sandbox.agent);
    expect(parsed(started).run.waiting).toMatchObject({ kind: "gate", id: expect.stringMatching(/^implement/) });
    const [first] = (await sandbox.events()) as Json[];
    expect(first.warnings.join("\n")).toContain("gate of final-review (change) has no effect");
    expect(first.plan.map((phase: Json) => phase.gate)).toEqual(["large", "always", "always"]);
    expect(started.stderr).toContain("isdlc trust");
  });

  test.concurrent("uses a changed persona only while its trusted file is unchanged", async () => {
    const sandbox = await withOverlay({ personas: loosening.personas });
    const digest = async (): Promise<string> => ((await sandbox.events()) as Json[])[0].plan[0].personaDigest;
    const shipped = loadPersona("planner");
    await sandbox.person("trust", "--yes");
    await sandbox.script("add a greeting", "--json", "--supervised", ...sandbox.agent);
    expect(await digest()).toBe(sha256(`${shipped.trimEnd()}\n\nAPPENDED-MARK`));
    await sandbox.person("cancel", "--reason", "enough");
    sandbox.git("switch", "--quiet", "main");
    sandbox.write(OVERLAY, JSON.stringify({ personas: { planner: "OTHER" } }));
    await sandbox.script("add another", "--json", "--supervised", ...sandbox.agent);
    expect(await digest()).toBe(sha256(shipped));
  });

  test.concurrent.for([
    [
      "an unknown value",
      JSON.stringify({ workflows: { change: { rules: { plan: { gate: "never" } } } } }),
      "supervised, always, large",
    ],
    [
      "an unknown phase",
      JSON.stringify({ workflows: { change: { remove: ["nope"] } } }),
      "plan, implement, final-review",
    ],
    [
      "an unknown phase of another workflow",
      JSON.stringify({ workflows: { fix: { remove: ["nope"] } } }),
      "02-tracing",
    ],
    ["an unknown workflow", JSON.stringify({ workflows: { nope: {} } }), "change, feature, fix"],
    ["invalid JSON", "{", "no run starts"],
  ] as const)("refuses to start with %s in the overlay", async ([, text, valid]) => {
    const sandbox = await createSandbox({ files: { [OVERLAY]: text } });
    const { code, stderr } = await sandbox.script("add a greeting", ...sandbox.agent);
    expect([code, stderr]).toMatchObject([1, expect.stringContaining("OVERLAY_INVALID")]);
    expect(stderr).toContain(valid);
    expect((await sandbox.script("status")).stdout).toContain("No run is open");
  });

  test.concurrent("refuses to start if the overlay is a symbolic link", async () => {
    const sandbox = await createSandbox({ files: { ".isdlc/.gitignore": "*\n" } });
    symlinkSync(join(sandbox.root, "README.md"), join(sandbox.root, OVERLAY));
    const { code, stderr } = await sandbox.script("add a greeting", ...sandbox.agent);
    expect([code, stderr]).toMatchObject([1, expect.stringContaining("UNSAFE_PATH")]);
  });
});

test.concurrent("runs test-generate in place, without branch or commit", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { "06-implementation": [{ writes: { "test/a.test.js": "// a test\n" } }] } });
  const ended = await sandbox.script("run", "test-generate", "cover the parser", "--json", ...sandbox.agent);
  expect([ended.code, parsed(ended).run]).toMatchObject([0, { status: "completed", branch: null }]);
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  expect(sandbox.git("log", "--format=%s")).toBe("First");
  expect(sandbox.read("test/a.test.js")).toBe("// a test\n");
});

test.concurrent("creates a folder and a branch for an upgrade", async () => {
  const sandbox = await createSandbox();
  const ended = await sandbox.script("run", "upgrade", "Node 24", "--json", ...sandbox.agent);
  expect([ended.code, parsed(ended).run.branch]).toEqual([0, "upgrade/UPG-0001-node-24"]);
  expect(sandbox.git("show", "--name-only", "--format=", "HEAD~2")).toContain(
    "docs/requirements/UPG-0001-node-24/upgrade-plan.md",
  );
});
