import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { GitCaller } from "../../src/adapters/git/read/personal-git.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

export type Fixture = {
  /** A folder for this test alone; `repo` is a repository in it, on branch main. */
  readonly base: string;
  readonly repo: string;
  git(...args: string[]): string;
  gitIn(folder: string, ...args: string[]): string;
  /** Paths may be bytes. Parent folders are created. */
  write(path: string | Buffer, content: string | Buffer): void;
  /** Writes a shell script as hook; the only use of a shell, as hooks are scripts. */
  hook(name: string, script: string): void;
  commitAll(message: string): string;
};

/** A caller who approved all repository commands. */
export const agreeing: GitCaller = { env: process.env, allows: () => true };

/** Creates real repositories in a temporary folder, isolated from the settings of the user who runs the tests. */
export function useRepository(): Fixture {
  const saved = { ...process.env };
  let base = "";
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-git-test-")));
    mkdirSync(join(base, "home"));
    mkdirSync(join(base, "tmp"));
    process.env["TMPDIR"] = join(base, "tmp");
    process.env["HOME"] = join(base, "home");
    delete process.env["XDG_CONFIG_HOME"];
    writeFileSync(
      join(base, "home", ".gitconfig"),
      "[user]\n\tname = Person\n\temail = person@example.org\n[init]\n\tdefaultBranch = main\n",
    );
    gitIn(base, "init", "--quiet", "repo");
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
    removeTemporary(base);
  });
  const repo = () => join(base, "repo");
  const write = (path: string | Buffer, content: string | Buffer) => {
    const bytes = Buffer.concat([Buffer.from(`${repo()}/`), Buffer.from(path as string)]);
    mkdirSync(Buffer.from(dirname(bytes.toString("latin1")), "latin1"), { recursive: true });
    writeFileSync(bytes, content);
  };
  return {
    get base() {
      return base;
    },
    get repo() {
      return repo();
    },
    git: (...args) => gitIn(repo(), ...args),
    gitIn,
    write,
    hook(name, script) {
      const file = join(repo(), ".git", "hooks", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
    },
    commitAll(message) {
      gitIn(repo(), "add", "-A");
      gitIn(repo(), "commit", "--quiet", "--allow-empty", "-m", message);
      return gitIn(repo(), "rev-parse", "HEAD");
    },
  };
}

export function gitIn(folder: string, ...args: string[]): string {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  const done = spawnSync("git", ["-c", "protocol.file.allow=always", ...args], {
    cwd: folder,
    encoding: "latin1",
    env: environment,
  });
  if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
  return done.stdout.replace(/\n$/, "");
}

/** Code and detail of the problem, or the result of a successful call. */
export async function toOutcome<T>(call: Promise<T>): Promise<T | { problem: string; detail: string }> {
  try {
    return await call;
  } catch (error) {
    const problem = (error as { problem?: { code: string; detail?: string } }).problem;
    if (!problem) throw error;
    return { problem: problem.code, detail: problem.detail ?? "" };
  }
}
