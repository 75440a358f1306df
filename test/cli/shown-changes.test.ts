import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";

test.concurrent("shows exactly the merged patch at the last gate and at the finish", async () => {
  const sandbox = await createSandbox({ files: { "src/greet.js": "export const a = 1;\n" } });
  const code = { "src/greet.js": "export const a = 2;\n", "src/new.js": "export const b = 1;\n" };
  sandbox.plan({ turns: { implement: [{ writes: code }] } });
  sandbox.write("README.md", "# Sample\n\nmine, uncommitted\n");
  const fork = sandbox.git("rev-parse", "HEAD");
  await sandbox.script("add a greeting", "--supervised", "--allow-dirty", ...sandbox.agent);

  const first = await sandbox.script("gate", "--diff");
  expect(first.stdout).toMatch(/^Changes since the run started: 1 file, \+\d+ -0$/m);
  await sandbox.person("continue");
  expect((await sandbox.script("gate", "--diff")).stdout).toMatch(
    /^Changes since you accepted Plan: 2 files, \+2 -1$/m,
  );
  await sandbox.person("continue");

  const last = await sandbox.script("gate", "--diff");
  expect(last.stdout).toContain(`Changes against main (${fork.slice(0, 7)}): `);
  expect(last.stdout).toContain("+export const a = 2;");
  expect(last.stdout).not.toContain("mine, uncommitted");
  const atGate = parsed(await sandbox.script("gate", "--diff", "--json"));
  await sandbox.person("continue");
  const atEnd = parsed(await sandbox.script("gate", "--diff", "--json"));
  expect(atEnd.waiting.kind).toBe("finish");
  await sandbox.person("answer", "merge");
  const merged = sandbox.git("diff", "-M", "--no-color", `${fork}...main`);
  expect(merged).toContain("+export const a = 2;");
  expect(atEnd.patch.trim()).toBe(merged);
  expect(atGate.patch.startsWith(merged)).toBe(true);
  expect(atGate.files.slice(0, 2)).toMatchObject([
    { path: "src/greet.js", added: 1, removed: 1 },
    { path: "src/new.js", added: 1, removed: 0 },
  ]);
});

test.concurrent("shows all changes after a redo", async () => {
  const sandbox = await createSandbox();
  const turns = [{ writes: { "src/one.js": "1\n" } }, { writes: { "src/two.js": "2\n" } }];
  sandbox.plan({ turns: { implement: turns } });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  await sandbox.person("continue");
  await sandbox.person("redo", "more");
  const { stdout } = await sandbox.script("gate", "--diff");
  expect(stdout).toContain("diff --git a/src/one.js b/src/one.js");
  expect(stdout).toContain("diff --git a/src/two.js b/src/two.js");
});
