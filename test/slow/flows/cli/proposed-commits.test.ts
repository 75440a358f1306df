import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";

type Shown = { readonly commit: string; readonly isAccepted: boolean };

const treeOf = (sandbox: Sandbox, commit: string): string => sandbox.git("rev-parse", `${commit}^{tree}`);

async function readGate(sandbox: Sandbox): Promise<Json> {
  return parsed(await sandbox.script("gate", "--json"));
}

/** Answers every gate of a supervised run; the first one and the implementation are sent back once. */
async function answerGates(sandbox: Sandbox): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (;;) {
    const { gate, waiting } = await readGate(sandbox);
    if (waiting?.kind === "finish") return shown;
    if (waiting?.kind === "sizing") await sandbox.person("answer", "standard");
    else shown.push(...(await answerGate(sandbox, gate)));
  }
}

async function answerGate(sandbox: Sandbox, { phase, redos, commit, tree, parent }: Json): Promise<Shown[]> {
  const head = sandbox.git("rev-parse", "HEAD");
  expect(head).toBe(parent);
  const isAccepted = redos.used > 0 || (phase.index > 1 && !phase.key.includes("implementation"));
  if (commit !== null) {
    expect(treeOf(sandbox, commit)).toBe(tree);
    expect(sandbox.git("log", "-1", "--format=%P", commit)).toBe(parent);
  }
  const { code, stderr } = await sandbox.person(...(isAccepted ? ["continue"] : ["redo", "Once more"]));
  expect(code, stderr).toBe(3);
  if (commit === null) return [];
  if (isAccepted) expect(sandbox.git("log", "--format=%H", "HEAD").split("\n")).toContain(commit);
  return [{ commit, isAccepted }];
}

test("merges exactly the commits that the gates of a whole feature showed", async () => {
  const sandbox = await createSandbox();
  sandbox.write("mine.txt", "uncommitted\n");
  sandbox.write("shared.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
  sandbox.git("add", "shared.txt");
  sandbox.git("commit", "--quiet", "--message", "Shared");
  sandbox.write("shared.txt", "my line\n1\n2\n3\n4\n5\n6\n7\n8\n");
  const work = { "greeting.txt": "hello\n", "shared.txt": "my line\n1\n2\n3\n4\n5\n6\n7\n8\nits line\n" };
  sandbox.plan({ turns: { "06-implementation": [{ writes: { "greeting.txt": "first\n" } }, { writes: work }] } });
  const started = await sandbox.script("feature", "add a greeting", "--supervised", "--allow-dirty", ...sandbox.agent);
  expect(started.code, started.stderr).toBe(3);
  const shown = await answerGates(sandbox);
  const accepted = shown.filter(({ isAccepted }) => isAccepted);
  const rejected = shown.filter(({ isAccepted }) => !isAccepted);
  expect(accepted.length).toBeGreaterThan(4);
  expect(rejected).toHaveLength(2);
  for (const { commit } of rejected)
    expect(sandbox.git("for-each-ref", "--format=%(objectname)", "refs/isdlc").split("\n")).toContain(commit);

  const tip = sandbox.git("rev-parse", "HEAD");
  expect(tip).toBe(accepted.at(-1)?.commit);
  expect(sandbox.git("show", `${tip}:BACKLOG.md`)).toMatch(/\[x\]/); // the end of the build was shown, too
  const merged = await sandbox.person("answer", "merge");
  expect(merged.code, merged.stderr).toBe(0);
  expect(sandbox.git("rev-parse", "main^2")).toBe(tip);
  const ancestors = sandbox.git("log", "--format=%H", "main").split("\n");
  for (const { commit } of accepted) expect(ancestors).toContain(commit);
  for (const { commit } of rejected) expect(ancestors).not.toContain(commit);
  const commits = shown.map(({ commit }) => commit);
  expect(new Set(commits).size).toBe(commits.length);
  for (const commit of commits) {
    expect(sandbox.git("ls-tree", "-r", "--name-only", commit).split("\n")).not.toContain("mine.txt");
    expect(sandbox.git("show", `${commit}:shared.txt`)).not.toContain("my line");
  }
  expect(sandbox.git("show", "main:shared.txt")).toContain("its line");
  expect(sandbox.git("log", "--format=%B", "main")).not.toContain("Isdlc-Journal");
  expect(sandbox.git("show", "main:BACKLOG.md")).toMatch(/\[x\]/);
  expect(
    sandbox
      .git("status", "--porcelain")
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual(["M shared.txt", "?? mine.txt"]);
});

test("takes comments on lines from a file, and tells the agent's replies with the next gate", async () => {
  const sandbox = await createSandbox();
  const replies = [{ id: "C2", did: "applied", text: "Shortened" }];
  sandbox.plan({ turns: { plan: [{}, { result: { replies } }] } });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const first = (await readGate(sandbox)).gate;
  expect(first).toMatchObject({
    wait: expect.stringContaining("/gate-"),
    digest: expect.any(String),
    openedAt: expect.any(String),
    phase: { key: "plan", index: 1 },
    redos: { used: 0, limit: 3 },
    checks: [{ name: "artifacts", ok: true }],
    verdict: null,
    findings: [],
    replies: [],
  });
  const place = { path: "plan.md", line: 3 };
  sandbox.write(".isdlc/comments.json", JSON.stringify([{ text: "Name the file" }, { text: "Shorter", place }]));
  const wrong = await sandbox.person("redo", "Again", "--comments", "README.md");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("Could not read the comments in README.md")]);
  expect((await sandbox.person("redo", "--comments", ".isdlc/comments.json")).code).toBe(3);
  const prompt = sandbox.log().findLast(({ role }) => role === "phase")?.prompt;
  expect(prompt).toContain("C1: Name the file");
  expect(prompt).toContain("C2 plan.md:3: Shorter");
  const second = (await readGate(sandbox)).gate;
  expect(second.redos).toEqual({ used: 1, limit: 3 });
  expect(second.replies).toMatchObject([
    { comment: { id: "C1", place: null }, reply: null },
    { comment: { id: "C2", place: { ...place, side: "new" } }, reply: replies[0] },
  ]);
});

test("shows the changes of a trusted hook at the gate, even unattended, and accepts exactly that commit", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "greeting.txt": "hello\n" } }] } });
  const hook = join(sandbox.root, ".git/hooks/pre-commit");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, '#!/bin/sh\nbasename "$(git rev-parse HEAD)" > hooked.txt\ngit add hooked.txt\n', {
    mode: 0o755,
  });
  const start = sandbox.git("rev-parse", "HEAD");
  const first = await sandbox.script("add a greeting", "--no-supervised", "--hooks", "trust", ...sandbox.agent);
  expect(first.code, first.stderr).toBe(3);
  const { gate, summary } = await readGate(sandbox);
  expect(gate.phase.key).toBe("implement");
  expect(sandbox.git("rev-parse", "HEAD")).toBe(start);
  expect(sandbox.git("show", `${gate.commit}:hooked.txt`)).toBe(start);
  expect(summary).toContain("Hooks of the repository changed the commit: hooked.txt (added)");
  expect((await sandbox.person("continue")).code).toBe(3);
  expect(sandbox.git("log", "--format=%H", "HEAD").split("\n")).toContain(gate.commit);
  expect(sandbox.git("status", "--porcelain")).toBe("");
});
