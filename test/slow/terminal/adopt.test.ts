import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { hasTmux, openTerminal } from "./terminal.ts";

const COMMITS = ["a", "b", "c", "d", "e"];

/** A branch with five commits and tests, made without isdlc, of a user without settings and agents. */
async function branchOfFive(): Promise<Sandbox> {
  const one = await createSandbox({
    files: {
      "package.json": '{ "scripts": { "test": "node --test" } }\n',
      "test/one.test.mjs": 'import test from "node:test";\ntest("one", () => {});\n',
    },
  });
  one.git("switch", "--quiet", "--create", "login");
  for (const name of COMMITS) {
    one.write(`src/${name}.js`, `export const ${name} = 1;\n`);
    one.git("add", "--all");
    one.git("commit", "--quiet", "--message", `Add ${name}`);
  }
  return one;
}

describe.skipIf(!hasTmux())("isdlc adopt at a terminal", () => {
  test("needs two inputs to the first gate and two more to a merge", async () => {
    const one = await branchOfFive();
    const terminal = await openTerminal(one);
    terminal.isdlc("adopt");
    await terminal.shows("Your choice (Y A N):");
    terminal.press("y");
    const gate = await terminal.shows("Your choice (C R D");
    for (const name of COMMITS) expect(gate).toContain(`src/${name}.js`);
    expect(gate).toContain("5 commits up to");
    expect(gate).not.toContain("[B]");
    terminal.press("c");
    await terminal.shows("● Decide later");
    terminal.press("Down", "Enter");
    expect(await terminal.exitCode()).toBe(0);
    expect(one.git("log", "--format=%s", "-1", "main")).toBe("Merge adopt/login: login");
  });
});
