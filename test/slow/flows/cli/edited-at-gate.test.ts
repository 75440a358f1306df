import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

/** Tests that fail once the code says that it is broken. */
const FILES = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "node check.js" } }),
  "check.js": `if (require("node:fs").readFileSync("src/app.js", "utf8").includes("broken")) {
  console.log("the app is broken");
  process.exit(1);
}
`,
  "src/app.js": "sound\n",
};

const UNSEEN = { name: "shown as it is", ok: false };

/** A change before its last gate, whose phase runs no tests of its own. */
async function atLastGate(git = true): Promise<Sandbox> {
  const sandbox = await createSandbox({ files: FILES, git });
  sandbox.plan({ turns: { implement: [{ writes: { "src/more.js": "more\n" } }] } });
  const args = ["add a greeting", "--tests", "trust", ...(git ? [] : ["--no-git"]), "--json", ...sandbox.agent];
  const started = parsed(await sandbox.script(...args));
  expect(started.run.waiting.id).toMatch(/^final-review#1\/gate-/);
  return sandbox;
}

const rechecks = async (sandbox: Sandbox) =>
  (await sandbox.events()).flatMap((event) =>
    event.type === "phase.rechecked" ? [event.results.map(({ name, ok }) => [name, ok])] : [],
  );

const proceed = async (sandbox: Sandbox) => parsed(await sandbox.person("continue", "--json")).run;

test.concurrent("code that was broken during a review keeps the gate closed, though its phase has no tests", async () => {
  const sandbox = await atLastGate();
  await sandbox.person("review");
  sandbox.write("src/app.js", "broken\n");
  const { waiting } = await proceed(sandbox);
  expect(waiting).toMatchObject({ kind: "gate", failures: [UNSEEN, { name: "tests", ok: false }] });
  expect(waiting.failures[1].detail).toContain("the app is broken");
  expect((await sandbox.script("status")).stdout).toContain("It is open again");

  sandbox.write("src/app.js", "fixed\n");
  await sandbox.person("review");
  expect((await proceed(sandbox)).waiting).toMatchObject({ kind: "gate", failures: [UNSEEN] });
  expect((await proceed(sandbox)).waiting.kind).toBe("finish");
  expect(await rechecks(sandbox)).toEqual([
    [
      ["shown as it is", false],
      ["artifacts", true],
      ["tests", false],
    ],
    [
      ["shown as it is", false],
      ["artifacts", true],
      ["tests", true],
    ],
    [],
  ]);
});

test.concurrent("whoever saw that the tests fail may continue all the same", async () => {
  const sandbox = await atLastGate();
  await sandbox.person("review");
  sandbox.write("src/app.js", "broken\n");
  expect((await proceed(sandbox)).waiting.kind).toBe("gate");
  expect((await proceed(sandbox)).waiting.kind).toBe("finish");
});

test.concurrent("edits within the folder of the item do not run the tests of a phase that has none", async () => {
  const sandbox = await atLastGate();
  const { item } = await sandbox.status();
  await sandbox.person("review");
  sandbox.write(`${item}/plan.md`, "# Plan\n\nedited\n");
  expect((await proceed(sandbox)).waiting).toMatchObject({ kind: "gate", failures: [UNSEEN] });
  expect((await proceed(sandbox)).waiting.kind).toBe("finish");
  expect(await rechecks(sandbox)).toEqual([
    [
      ["shown as it is", false],
      ["artifacts", true],
    ],
    [],
  ]);
});

test.concurrent("without git nobody can tell what a review edited, so the tests are run", async () => {
  const sandbox = await atLastGate(false);
  await sandbox.person("review");
  sandbox.write("src/app.js", "broken\n");
  expect((await proceed(sandbox)).waiting).toMatchObject({ kind: "gate", failures: [{ name: "tests" }] });
});
