import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const TESTS = "console.log('# pass 1');\n";

/** A branch with two commits and an uncommitted file, made without isdlc. */
async function branchWithWork(files: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const one = await createSandbox({
    files: { "package.json": '{ "scripts": { "test": "node tests.mjs" } }\n', "tests.mjs": TESTS, ...files },
  });
  one.git("switch", "--quiet", "--create", "login");
  for (const name of ["a", "b"]) {
    one.write(`src/${name}.js`, `export const ${name} = 1;\n`);
    one.git("add", "--all");
    one.git("commit", "--quiet", "--message", `Add ${name}`);
  }
  one.write("src/c.js", "export const c = 1;\n");
  return one;
}

const ADOPT = ["adopt", "--reviewer", "none", "--yes"];

describe("isdlc adopt", () => {
  test("opens one gate with the whole range, and commits only what was uncommitted", async () => {
    const one = await branchWithWork();
    const head = one.git("rev-parse", "HEAD");
    const gate = await one.person(...ADOPT);
    expect(gate.code, gate.stdout + gate.stderr).toBe(3);
    const { stdout } = await one.script("gate");
    expect(stdout).toContain("authorship unknown");
    for (const name of ["src/a.js", "src/b.js", "src/c.js"]) expect(stdout).toContain(name);
    const done = await one.person("continue");
    expect(done.code, done.stdout + done.stderr).toBe(3);
    const kept = await one.person("answer", "merge", "--json");
    expect(parsed(kept).run).toMatchObject({});
    expect(one.git("log", "--format=%s", "--first-parent", "-1", "main")).toContain("Merge adopt/login");
    expect(one.git("rev-parse", "login")).toBe(head);
    expect(one.git("diff", "--name-only", head, "main")).toBe("src/c.js");
  });
});
