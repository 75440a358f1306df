import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Outcome, type Sandbox } from "../support/cli.ts";

const MANIFEST = '{ "scripts": { "test": "node tests.mjs" } }\n';

async function branch(): Promise<Sandbox> {
  const one = await createSandbox({ files: { "package.json": MANIFEST, "tests.mjs": "process.exit(0);\n" } });
  one.git("switch", "--quiet", "--create", "work");
  return one;
}

function commitAll(one: Sandbox, message: string): void {
  one.git("add", "--all");
  one.git("-c", "maintenance.auto=false", "commit", "--quiet", "--message", message);
}

async function gateOf(one: Sandbox, ...options: readonly string[]): Promise<string> {
  const adopted = await one.person("adopt", "--reviewer", "none", "--yes", ...options);
  expect(adopted.code, adopted.stdout + adopted.stderr).toBe(3);
  return (await one.script("gate", "--diff")).stdout;
}

const whole = ({ stdout, stderr }: Outcome): string => stdout + stderr;

describe("a range that isdlc did not make", () => {
  test("shows changed tests, hooks, submodules and links before everything else, and runs or follows none", async () => {
    const one = await branch();
    one.write("tests.mjs", "process.exit(0); // always\n");
    one.write(".husky/pre-commit", "#!/bin/sh\ntouch ran-by-git\n");
    one.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n');
    symlinkSync("/etc/hostname", join(one.root, "link"));
    one.git("add", "--all");
    one.git("update-index", "--add", "--cacheinfo", `160000,${one.git("rev-parse", "HEAD")},lib`);
    one.git("commit", "--quiet", "--message", "Add everything");
    mkdirSync(join(one.root, "lib")); // git leaves a submodule empty until it is asked for it
    const gate = await gateOf(one);
    expect(gate).toMatch(/Read these first[^]*\.gitmodules[^]*Files against main/);
    expect(gate).toContain(".husky/pre-commit");
    expect(gate).toMatch(/Files that decide how tests run were changed: tests\.mjs/);
    expect(gate).toMatch(/new file mode 120000/);
    expect(gate).toMatch(/Subproject commit|160000/);
    expect(one.git("ls-files", "--others")).not.toContain("ran-by-git");
  });

  test("shows failed tests and accepts them only by name", async () => {
    const one = await branch();
    one.write("tests.mjs", "process.exit(1);\n");
    commitAll(one, "Break the tests");
    expect(await gateOf(one)).toMatch(/Checks fail on this work; Continue accepts it anyway:\n {2}- tests: /);
    await one.person("continue", "--as", "Ada");
    expect((await one.script("status")).stdout).toContain("merge");
  });

  test("is read from the objects, not from a replaced commit", async () => {
    const one = await branch();
    one.write("real.txt", "real\n");
    commitAll(one, "Real");
    const real = one.git("rev-parse", "HEAD");
    const harmless = one.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Harmless");
    one.git("replace", real, harmless);
    const gate = await gateOf(one);
    expect(gate).toContain("real.txt");
  });

  test("opens the gate again if the branch, its base or the files move", async () => {
    const one = await branch();
    one.write("a.txt", "a\n");
    commitAll(one, "Add a");
    await gateOf(one);
    one.write("late.txt", "late\n");
    commitAll(one, "Late");
    const base = one.git("commit-tree", "main^{tree}", "-p", "main", "-m", "Elsewhere");
    one.git("update-ref", "refs/heads/main", base);
    const again = await one.person("continue");
    expect(again.code, whole(again)).toBe(3);
    const gate = (await one.script("gate")).stdout;
    expect(gate).toContain("late.txt");
    expect(gate).toContain("main moved from");
    expect(whole(await one.person("continue"))).toContain("isdlc answer merge");
  });

  test("has no state to go back to, keeps its files when it is cancelled, and stays without an agent", async () => {
    const one = await branch();
    one.write("a.txt", "a\n");
    await gateOf(one);
    for (const args of [["back", "adopt"], ["fresh"]]) {
      const refused = await one.person(...args);
      expect(whole(refused)).toContain("There is nothing to go back to");
    }
    const redone = await one.person("redo", "Add b");
    expect(whole(redone)).toContain("this run has no agent");
    await one.person("cancel", "--reason", "enough", "--restore-tree");
    expect(one.read("a.txt")).toBe("a\n");
  });

  test("is handed to an agent by a redo, as a normal attempt", async () => {
    const one = await branch();
    one.write("a.txt", "a\n");
    one.plan({ turns: { adopt: [{ writes: { "b.txt": "b\n" } }] } });
    await gateOf(one);
    const redone = await one.person("redo", "Add b", ...one.agent);
    expect(redone.code, whole(redone)).toBe(3);
    expect(one.log().map(({ role, prompt }) => [role, prompt.includes("REDO GUIDANCE: Add b")])).toEqual([
      ["phase", true],
    ]);
    const gate = (await one.script("gate")).stdout;
    for (const name of ["a.txt", "b.txt"]) expect(gate).toContain(name);
  });

  test("may have 5,000 files", async () => {
    const one = await branch();
    for (let number = 0; number < 5000; number++) one.write(`many/${number % 50}/${number}.txt`, `${number}\n`);
    commitAll(one, "Add many");
    expect(await gateOf(one, "--tests", "none")).toContain("(5000 files");
  });

  test("is refused if there is nothing in it, or its start is unknown", async () => {
    const one = await branch();
    expect(whole(await one.person("adopt"))).toContain("NOTHING_TO_ADOPT");
    expect(whole(await one.person("adopt", "no-such-branch"))).toContain("COMMITS_UNKNOWN");
    expect(whole(await one.person("run", "adopt", "work"))).toContain("isdlc adopt [range]");
  });
});
