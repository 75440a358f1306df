import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hardenedGit } from "../../src/adapters/git/process/git.ts";
import { allowsNothing, personalGit } from "../../src/adapters/git/read/personal-git.ts";
import { trustedPath, workingTrees } from "../../src/adapters/git/process/working-trees.ts";

function place(): { base: string; tree: string; bin: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-path-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const tree = join(base, "tree");
  const bin = join(tree, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(base, "bin"));
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: tree, stdio: "pipe" });
  git("init", "--quiet");
  git(
    "-c",
    "user.name=P",
    "-c",
    "user.email=p@example.org",
    "commit",
    "--quiet",
    "--allow-empty",
    "--message",
    "First",
  );
  git("worktree", "add", "--quiet", join(base, "beside"));
  return { base, tree, bin };
}

describe("trustedPath [S4, S5]", () => {
  test("drops entries inside the working tree, by name or link, and relative or missing ones", () => {
    const { base, tree, bin } = place();
    symlinkSync(bin, join(base, "link"));
    mkdirSync(join(base, "beside/bin"));
    const entries = [
      bin,
      ".",
      "",
      "node_modules/.bin",
      join(base, "link"),
      join(base, "beside/bin"),
      join(base, "gone"),
    ];
    const path = [...entries, join(base, "bin"), "/usr/bin", join(base, "bin")].join(delimiter);
    const expected = [join(base, "bin"), "/usr/bin"].join(delimiter);
    mkdirSync(join(tree, "src"));
    expect(trustedPath(path, tree)).toBe(expected);
    expect(trustedPath(path, join(tree, "src"))).toBe(expected);
    expect(trustedPath(path, join(base, "beside"))).toBe(expected);
  });

  test("drops the folder itself without git", () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-path-")));
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    mkdirSync(join(base, "bin"));
    expect(workingTrees(base)).toEqual([base]);
    expect(trustedPath(join(base, "bin"), base)).toBe("");
  });

  test("keeps git from being started from the working tree", async () => {
    const { base, tree, bin } = place();
    const trace = join(base, "ran");
    writeFileSync(join(bin, "git"), `#!/bin/sh\necho ran > ${trace}\n`, { mode: 0o755 });
    const before = process.env["PATH"] ?? "";
    process.env["PATH"] = `${bin}${delimiter}${before}`;
    try {
      execFileSync("git", ["--version"], { cwd: tree }); // A plain call finds the planted git.
      expect(execFileSync("cat", [trace], { encoding: "utf8" })).toBe("ran\n");
      rmSync(trace);
      await hardenedGit(tree, process.env)(["rev-parse", "HEAD"]);
      await personalGit(tree, { env: process.env, allows: allowsNothing })(["rev-parse", "HEAD"]);
      expect(() => execFileSync("cat", [trace], { stdio: "pipe" })).toThrow();
    } finally {
      process.env["PATH"] = before;
    }
  });
});
