import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const README = ["# Sample", "", "first", "second", "third", "fourth", "fifth", ""].join("\n");
const MINE = "mine, not committed";
const withMine = README.replace("first", MINE);

async function dirtySandbox(): Promise<Sandbox> {
  const sandbox = await createSandbox({ files: { "README.md": README } });
  sandbox.write("README.md", withMine);
  return sandbox;
}

/** All versions of the file in any commit. */
const committed = (sandbox: Sandbox): string => sandbox.git("log", "--branches", "--patch", "--", "README.md");

test.concurrent("keeps a user's uncommitted line out of the merge of a file edited by both", async () => {
  const sandbox = await dirtySandbox();
  sandbox.plan({
    turns: { implement: [{ writes: { "README.md": withMine.replace("fifth", "the agent's"), "a.js": "1\n" } }] },
  });
  await sandbox.script("say hello", "--allow-dirty", ...sandbox.agent);
  const gate = await sandbox.script("gate", "--diff");
  expect(gate.stdout).toContain("+the agent's");
  await sandbox.person("continue");
  expect(await sandbox.person("answer", "merge")).toMatchObject({ code: 0 });
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  expect(sandbox.git("show", "main:README.md")).toBe(README.replace("fifth", "the agent's").trim());
  expect(sandbox.git("log", "-1", "--format=%P", "main").split(" ")).toHaveLength(2);
  expect(sandbox.read("README.md")).toBe(withMine.replace("fifth", "the agent's"));
  expect(sandbox.git("status", "--porcelain")).toBe("M README.md");
  expect(sandbox.git("diff")).toContain(`+${MINE}`);
  expect(sandbox.git("log", "main", "--patch")).not.toContain(MINE);
  expect(sandbox.git("worktree", "list").split("\n")).toHaveLength(1);
});

test.concurrent("asks about overlapping edits and commits them only if the user agrees", async () => {
  const sandbox = await dirtySandbox();
  const both = withMine.replace(MINE, `${MINE}, and the agent's`);
  sandbox.plan({ turns: { implement: [{ writes: { "README.md": both, "a.js": "1\n" } }] } });
  const started = await sandbox.script("say hello", "--allow-dirty", ...sandbox.agent);
  expect(started).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("your uncommitted changes overlap with the agent's in these files:\n  README.md"),
  });
  expect(await sandbox.status()).toMatchObject({
    waiting: { kind: "escalation", reason: "own_lines", detail: "README.md", options: ["retry", "accept", "cancel"] },
  });
  expect(committed(sandbox)).not.toContain(MINE);
  await sandbox.person("answer", "accept");
  expect(await sandbox.status()).toMatchObject({ current: "final-review" });
  expect(committed(sandbox)).toContain(`+${MINE}, and the agent's`);
  const events = await sandbox.events();
  expect(events.filter(({ type }) => type === "lines.included")).toMatchObject([{ paths: ["README.md"] }]);
});

test.concurrent("finds no overlap after the user moved the edits", async () => {
  const sandbox = await dirtySandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "README.md": withMine.replace(MINE, "the agent's") } }] } });
  await sandbox.script("say hello", "--allow-dirty", ...sandbox.agent);
  expect(await sandbox.status()).toMatchObject({ waiting: { reason: "own_lines" } });
  sandbox.write("README.md", withMine.replace("fifth", "the agent's, elsewhere"));
  await sandbox.person("retry");
  expect(await sandbox.status()).toMatchObject({ current: "final-review" });
  expect(committed(sandbox)).toContain("+the agent's, elsewhere");
  expect(committed(sandbox)).not.toContain(MINE);
});

test.concurrent("lists files left by the agent on cancel, and saves removed ones under a ref", async () => {
  const sandbox = await dirtySandbox();
  const writes = { "README.md": withMine.replace("fifth", "the agent's"), "new.js": "1\n" };
  sandbox.plan({ turns: { implement: [{ writes }] } });
  await sandbox.script("say hello", "--allow-dirty", "--supervised", ...sandbox.agent);
  await sandbox.person("continue");
  const { run } = (await sandbox.events())[0] as { run: string };
  const ended = parsed(await sandbox.person("cancel", "--reason", "enough", "--restore-tree", "--json"));
  const kept = `refs/isdlc/${run}/cancelled`;
  expect(ended).toMatchObject({ ok: true, left: { paths: ["README.md", "new.js"], kept } });
  expect(sandbox.read("README.md")).toBe(withMine);
  expect(() => sandbox.read("new.js")).toThrow("ENOENT");
  expect(sandbox.git("show", `${kept}:new.js`)).toBe("1");
});

test.concurrent("keeps and lists files left by the agent on cancel by default", async () => {
  const sandbox = await dirtySandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "new.js": "1\n" } }] } });
  await sandbox.script("say hello", "--allow-dirty", "--supervised", ...sandbox.agent);
  await sandbox.person("continue");
  const ended = await sandbox.person("cancel", "--reason", "enough");
  expect(ended.stdout).toMatch(/Left in the working tree by the agent, uncommitted:\n {2}- new\.js\n/);
  expect(sandbox.read("new.js")).toBe("1\n");
});
