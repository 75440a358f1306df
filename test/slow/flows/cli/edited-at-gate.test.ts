import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";

/** Tests that fail if the code contains "broken". */
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

/** A change at its last gate, whose phase runs no tests itself. */
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

test.concurrent("keeps a gate closed if an edit of the user breaks the tests", async () => {
  const sandbox = await atLastGate();
  await sandbox.person("review");
  sandbox.write("src/app.js", "broken\n");
  const { waiting } = await proceed(sandbox);
  expect(waiting).toMatchObject({ kind: "gate", failures: [UNSEEN, { name: "tests", ok: false }] });
  expect(waiting.failures[1].detail).toContain("the app is broken");
  expect((await sandbox.script("status")).stdout).toContain("Reopened because");

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

test.concurrent("continues past failing tests if the gate already showed them", async () => {
  const sandbox = await atLastGate();
  await sandbox.person("review");
  sandbox.write("src/app.js", "broken\n");
  expect((await proceed(sandbox)).waiting.kind).toBe("gate");
  expect((await proceed(sandbox)).waiting.kind).toBe("finish");
});

test.concurrent("skips the tests after edits to the item's folder only", async () => {
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

test.concurrent("reruns the tests after every review without git, because edits go unnoticed", async () => {
  const sandbox = await atLastGate(false);
  await sandbox.person("review");
  sandbox.write("src/app.js", "broken\n");
  expect((await proceed(sandbox)).waiting).toMatchObject({ kind: "gate", failures: [{ name: "tests" }] });
});

test.concurrent("lists user-edited files in the redo prompt and reports edits that the agent lost", async () => {
  const sandbox = await createSandbox({ files: FILES });
  const first = { writes: { "src/app.js": "sound\nby the agent\n" } };
  const careless = { writes: { "src/app.js": "sound\nby the agent, again\n" } };
  sandbox.plan({ turns: { implement: [first, careless] } });
  await sandbox.script("add a greeting", "--supervised", "--tests", "without", ...sandbox.agent);
  while ((await sandbox.status()).current !== "implement") await sandbox.person("continue");
  sandbox.write("src/app.js", "sound\nby the agent\nby the user\n");
  await sandbox.person("continue");
  expect((await sandbox.status()).waiting.kind).toBe("gate");
  await sandbox.person("redo", "Say it nicer");
  const lastPrompt = () => sandbox.log().findLast(({ role, key }) => role === "phase" && key === "implement")?.prompt;
  expect(lastPrompt()).toContain('The user edited these files. Keep every edit of the user:\n- "src/app.js"');
  const gate = await sandbox.script("gate");
  expect(gate.stdout).toContain("Your edit of src/app.js is lost: 1 of the 1 lines that you changed");
  await sandbox.person("redo", "You lost my line");
  expect(lastPrompt()).toContain('- "src/app.js"');
});

const QUESTIONS = [{ id: "tone", text: "Which tone?" }];

test.concurrent.each([
  ["questions", { status: "needs_input", questions: QUESTIONS }, ["answer", "--reply", "tone=warm"]],
  ["a failure", { status: "failed", summary: "No idea" }, ["retry"]],
])("tells the agent which files the user edited during %s, and shows a lost edit", async (_, result, answer) => {
  const sandbox = await createSandbox({ files: FILES });
  const first = { writes: { "src/app.js": "sound\nby the agent\n" }, result };
  const careless = { writes: { "src/app.js": "sound\nby the agent, again\n" } };
  sandbox.plan({ turns: { implement: [first, careless] } });
  await sandbox.script("add a greeting", "--supervised", "--tests", "without", ...sandbox.agent);
  while ((await sandbox.status()).current !== "implement") await sandbox.person("continue");
  sandbox.write("src/app.js", "sound\nby the agent\nby the user\n");
  await sandbox.person(...answer);
  const prompts = sandbox.log().filter(({ role, key }) => role === "phase" && key === "implement");
  expect(prompts[0]?.prompt).not.toContain("The user edited");
  expect(prompts[1]?.prompt).toContain('The user edited these files. Keep every edit of the user:\n- "src/app.js"');
  expect((await sandbox.script("gate")).stdout).toContain("Your edit of src/app.js is lost: 1 of the 1 lines");
});
