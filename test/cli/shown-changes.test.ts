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
  const merged = sandbox.git("diff", "-M", "--full-index", "--no-color", `${fork}...main`);
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

test.concurrent("shows the changes in review order, group by group, with the options of the terminal", async () => {
  const lock = (version: string): string =>
    JSON.stringify({ packages: { "node_modules/left-pad": { version } } }, null, 1);
  const sandbox = await createSandbox({
    files: {
      ".gitattributes": "*.gen.js linguist-generated\n",
      "package-lock.json": lock("1.0.0"),
      "src/a.js": "let a = 1;\n",
    },
  });
  const writes = {
    "package-lock.json": lock("1.3.0"),
    "src/a.js": "let a = 2;\n",
    "src/big.gen.js": "generated();\n".repeat(3000),
    "src/logic.js": "if (a) b();\n".repeat(10),
    "test/a.test.js": "test();\n",
    "docs/a.md": "# A\n",
    ".gitattributes": "*.gen.js linguist-generated\n*.js linguist-generated\n",
  };
  sandbox.plan({ turns: { implement: [{ writes }] } });
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  await sandbox.person("continue");

  const { stdout } = await sandbox.script("gate", "--diff");
  const order = [...stdout.matchAll(/^diff --git a\/(\S+)|^(Code|Settings|Tests|Documents|Folded) \(/gm)];
  const names = order.map(([, path, group]) => path ?? group).filter((name) => name?.includes("meta.json") !== true);
  expect(names.slice(0, 5)).toEqual(["Code", "src/logic.js", "src/a.js", "Settings", ".gitattributes"]);
  expect(names.indexOf("test/a.test.js")).toBeLessThan(names.indexOf("docs/a.md"));
  expect(names.at(-1)).toBe("Folded");
  expect(stdout).toContain("left-pad 1.0.0 → 1.3.0");
  expect(stdout).toMatch(/src\/big\.gen\.js \+3000 -0: linguist-generated in \.gitattributes/);
  expect(stdout).toMatch(/Not shown: 2 folded files\. See: isdlc gate --diff --group folded/);
  expect(stdout).toMatch(/^To read: [1-9]\d? lines, /m);
  expect(stdout).toMatch(/src\/logic\.js .*\n {6}no test changed with it/);
  expect(stdout).toMatch(/\.gitattributes .*\n {6}takes effect by itself: git runs or obeys it/);

  const folded = await sandbox.script("gate", "--group", "folded");
  expect(folded.stdout).toContain("+generated();");
  expect(folded.stdout).not.toContain("+if (a) b();");
  const list = await sandbox.script("gate", "--files");
  expect(list.stdout).toContain("src/logic.js +10 -0: 10 of 10 changed lines decide something");
  expect(list.stdout).not.toContain("diff --git");
  expect((await sandbox.script("gate", "--word-diff")).stdout).toContain("let a = [-1-]{+2+};");
  const byName = await sandbox.script("gate", "--diff", "--order", "name");
  expect(byName.stdout.indexOf("b/docs/a.md")).toBeLessThan(byName.stdout.indexOf("b/src/a.js"));

  await sandbox.person("redo", "more");
  expect((await sandbox.script("gate", "--since-last")).stdout).toContain("since your last review");
  const files = parsed(await sandbox.script("gate", "--diff", "--json")).files;
  expect(files[0]).toMatchObject({ path: "src/logic.js", group: "code" });
});
