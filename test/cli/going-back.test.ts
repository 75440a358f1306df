import { expect, test } from "vitest";
import { createSandbox } from "../support/cli.ts";

test.concurrent("removes later work with back and saves it under a ref", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({
    turns: { implement: [{ writes: { "src/a.txt": "first\n" } }, { writes: { "src/a.txt": "second\n" } }] },
  });
  await sandbox.script("Show the hours", "--supervised", "--tests", "without", ...sandbox.agent);
  await sandbox.person("continue");
  expect(await sandbox.status()).toMatchObject({ waiting: { kind: "gate" }, current: "implement" });
  await sandbox.person("continue");
  expect((await sandbox.status()).current).toBe("final-review");
  expect(sandbox.read("src/a.txt")).toBe("first\n");
  expect((await sandbox.person("back", "implement")).code).toBe(3);
  expect(sandbox.read("src/a.txt")).toBe("second\n");
  expect((await sandbox.person("gate")).stdout).not.toContain("Unexpected");
  const [kept = ""] = sandbox.git("for-each-ref", "--format=%(refname)", "refs/isdlc/*/back-*").split("\n");
  expect(sandbox.git("show", `${kept}:src/a.txt`)).toBe("first");
  expect((await sandbox.script("history")).stdout).toContain(`saved under ${kept}`);
  for (const verb of [["continue"], ["continue"], ["answer", "merge"]]) await sandbox.person(...verb);
  expect(await sandbox.status()).toBeNull();
  expect(sandbox.git("show", "main:src/a.txt")).toBe("second");
  expect(sandbox.git("for-each-ref", "--format=%(refname)", "refs/isdlc").split("\n")).toEqual([kept]); // No other ref remains.
});

test.concurrent("keeps the code for the phase that wrote it with --keep-tree", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "src/a.txt": "first\n" } }, {}] } });
  await sandbox.script("Show the hours", "--supervised", "--tests", "without", ...sandbox.agent);
  await sandbox.person("continue");
  expect((await sandbox.status()).current).toBe("implement");
  await sandbox.person("back", "plan", "--keep-tree");
  const atPlan = (await sandbox.person("gate", "--diff")).stdout;
  expect((await sandbox.status()).current).toBe("plan");
  expect(atPlan).not.toContain("src/a.txt");
  expect((await sandbox.script("gate", "--json")).stdout).not.toContain('"revert"');
  await sandbox.person("continue");
  expect(sandbox.git("ls-tree", "-r", "--name-only", "HEAD")).not.toContain("src/a.txt");
  expect((await sandbox.status()).current).toBe("implement");
  expect((await sandbox.person("gate", "--diff")).stdout).toContain("+first");
  await sandbox.person("continue");
  expect(sandbox.git("show", "HEAD:src/a.txt")).toBe("first");
});
