import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

const history = [{ type: "feature", description: "Old work", status: "completed", artifact_folder: "REQ-0011-old" }];
const earlier = {
  state_version: 41,
  counters: { next_req_id: 14, next_bug_id: 3, next_upg_id: 2 },
  workflow_history: history,
  code_review: { enabled: true },
  active_workflow: {
    type: "feature",
    description: "Sign in",
    current_phase: "03-architecture",
    artifact_folder: "REQ-0012-sign-in",
    supervised_review: { phase: "03-architecture", status: "reviewing" },
  },
  phases: { "03-architecture": { status: "completed" } },
};
const names = (sandbox: Sandbox): string[] => readdirSync(join(sandbox.root, ".isdlc")).toSorted();

test.concurrent("preserves the state.json of an earlier framework and reports its open workflow", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify(earlier));
  const started = await sandbox.script("feature", "dark mode", "--review", "00", ...sandbox.agent);
  expect(started).toMatchObject({ code: 3 });
  expect(started.stderr).toMatch(/feature "Sign in", at 03-architecture with the review of 03-architecture open/);
  expect(started.stderr).toContain("isdlc build REQ-0012-sign-in");
  expect(started.stderr).toContain("kept as state.json.earlier-1; its history and counters are carried on");
  expect(sandbox.json(".isdlc/state.json.earlier-1")).toEqual(earlier);
  const state = sandbox.json(".isdlc/state.json");
  expect(state).toMatchObject({ workflow_history: history, code_review: { enabled: true } });
  expect(state.active_workflow.artifact_folder).toBe("REQ-0014-dark-mode");
  expect(state.counters).toEqual({ next_req_id: 15, next_bug_id: 3, next_upg_id: 2 });
});

test.concurrent.each([[[]], [["status"]]])(
  "names the unfinished earlier workflow with the command %j",
  async (args) => {
    const sandbox = await createSandbox();
    sandbox.write(".isdlc/state.json", JSON.stringify(earlier));
    expect((await sandbox.script(...args)).stdout).toMatch(
      /unfinished workflow of an earlier framework: feature "Sign in"/,
    );
  },
);

test.concurrent("keeps earlier history first, saves one copy and warns only once", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify(earlier));
  const first = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(first.stderr).toContain("earlier framework");
  await sandbox.person("cancel", "--reason", "enough");
  const { workflow_history: kept } = sandbox.json(".isdlc/state.json");
  expect(kept).toHaveLength(2);
  expect(kept[0]).toEqual(history[0]);
  expect(kept[1]).toMatchObject({ description: "add a greeting", status: "cancelled" });
  const second = await sandbox.script("another greeting", ...sandbox.agent);
  expect(second.stderr).not.toContain("earlier framework");
  expect(names(sandbox).filter((name) => name.includes("earlier"))).toEqual(["state.json.earlier-1"]);
});

test.concurrent("saves the earlier state.json even if the first command sets a setting", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", JSON.stringify(earlier));
  const set = await sandbox.person("config", "set", "supervised_mode.enabled", "true");
  expect(set.stderr).toContain("state.json.earlier-1");
  expect(sandbox.json(".isdlc/state.json")).toMatchObject({
    supervised_mode: { enabled: true },
    workflow_history: history,
  });
  await sandbox.script("add a greeting", ...sandbox.agent);
  expect(sandbox.json(".isdlc/state.json").workflow_history).toEqual(history);
});

test.concurrent("warns before a run without gates if the settings of a supervised project are missing", async () => {
  const sandbox = await supervisedOnce();
  rmSync(join(sandbox.root, ".isdlc/state.json"));
  const { stderr } = await sandbox.script("another greeting", ...sandbox.agent);
  expect(stderr).toContain("warning: The last run here had review gates, but supervised_mode is missing");
  const later = await sandbox.script("a third greeting", ...sandbox.agent);
  expect(later.stderr).not.toContain("had review gates");
});

const supervisedOnce = async (): Promise<Sandbox> => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  await sandbox.person("cancel", "--reason", "enough");
  return sandbox;
};

test.concurrent.each([
  ["invalid JSON", "{ not"],
  ["a list", "[]"],
  ["a block of the wrong type", JSON.stringify({ supervised_mode: "on" })],
])(
  "asks for the supervision mode if state.json is damaged (%s) after a supervised run [SM-ERR-101]",
  async (_name, text) => {
    const sandbox = await supervisedOnce();
    sandbox.write(".isdlc/state.json", text);
    const asked = await sandbox.script("another greeting", "--json", ...sandbox.agent);
    expect(asked.code).toBe(3);
    expect(parsed(asked).choice).toMatchObject({ kind: "supervision", options: ["supervised", "autonomous"] });
    expect(sandbox.read(".isdlc/state.json")).toBe(text);
    const analysis = await sandbox.script("analyze", "sign in", "--json", ...sandbox.agent);
    expect(parsed(analysis).choice).toMatchObject({ kind: "supervision" });
    const supervised = await sandbox.script("another greeting", "--supervised", "--json", ...sandbox.agent);
    expect(parsed(supervised).run.waiting.id).toMatch(/^plan#1\/gate/);
  },
);

test.concurrent("starts without gates after the user disables supervision in a damaged state.json [SM-ERR-101]", async () => {
  const sandbox = await supervisedOnce();
  sandbox.write(".isdlc/state.json", "{ not");
  const set = await sandbox.person("config", "set", "supervised_mode.enabled", "false");
  expect(set.stderr).toContain("state.json was damaged. It is kept as state.json.corrupt-1");
  const started = await sandbox.script("another greeting", "--json", ...sandbox.agent);
  expect(parsed(started).run.waiting.id).toMatch(/^final-review/);
});

test.concurrent("warns about a damaged state.json and starts, if no earlier run was supervised [SM-NFR-02]", async () => {
  const sandbox = await createSandbox();
  sandbox.write(".isdlc/state.json", "{ not");
  const started = await sandbox.script("add a greeting", ...sandbox.agent);
  expect(started.stderr).toContain("warning: state.json holds no object: supervised mode is off");
  expect((await sandbox.status()).waiting.id).toMatch(/^final-review/);
});

test.concurrent("restores the user's settings if state.json is damaged during a run", async () => {
  const sandbox = await createSandbox();
  const mine = { supervised_mode: { enabled: true, review_phases: "all" }, team: { name: "ours" } };
  sandbox.write(".isdlc/state.json", JSON.stringify(mine));
  await sandbox.script("add a greeting", ...sandbox.agent);
  sandbox.write(".isdlc/state.json", "{ half");
  const answered = await sandbox.person("continue");
  expect(answered.stderr).toContain("state.json was damaged. It is kept as state.json.corrupt-1");
  expect(answered.stderr).toContain("your settings in it are back as they were before");
  expect(sandbox.json(".isdlc/state.json")).toMatchObject(mine);
  expect(sandbox.read(".isdlc/state.json.corrupt-1")).toBe("{ half");
  expect((await sandbox.status()).waiting.id).toMatch(/^implement#1\/gate/);
});
