import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOST_MARKERS } from "../../src/adapters/identity/agent-markers.ts";
import { builtProgram } from "../support/built-program.ts";
import { fencesOf, markdownFiles, readDocument } from "./markdown.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

/** Blocks marked `sh run` form one script per document; blocks marked `file=<name>` are saved in the home folder. */
const fences = new Map(markdownFiles().map((file) => [file, fencesOf(readDocument(file))]));
const scripts = [...fences].flatMap(([file, blocks]) => {
  const parts = blocks.filter(({ language, rest }) => language === "sh" && rest === "run").map(({ text }) => text);
  return parts.length === 0 ? [] : [{ file, script: parts.join("\n") }];
});
const savedFiles = [...fences.values()].flat().flatMap(({ rest, text }) => {
  const name = /^file=([a-z.-]+)$/.exec(rest)?.[1];
  return name === undefined ? [] : [{ name, text }];
});

let program = "";
let folder = "";

beforeAll(async () => {
  program = await builtProgram();
  folder = mkdtempSync(join(tmpdir(), "isdlc-docs-"));
});
afterAll(() => removeTemporary(folder));

test("finds all marked examples", () => {
  expect(scripts.map(({ file }) => file)).toEqual([
    "docs/guides/agents.md",
    "docs/guides/import.md",
    "docs/guides/scripting.md",
    "docs/guides/signed-approvals.md",
  ]);
  expect(savedFiles.map(({ name }) => name)).toEqual(["agent.mjs"]);
});

describe("documented example", () => {
  const outputs: { readonly [file: string]: readonly (string | RegExp)[] } = {
    "docs/guides/agents.md": ["PHASE COMPLETE: Final Review", "[C] Continue", "greeting.txt | 1 +"],
    "docs/guides/import.md": ["[A]  photo-albums  analyzed", "4 of 4 phases accepted at the first try"],
    "docs/guides/signed-approvals.md": [
      /Signed: run \S+ made 1 commit \(1 gate\)/,
      "1 of 1 commits covered (1 gate, 1 person)",
      "gate final-review: continue by Ada (token)",
      "The policy is kept.",
      "made by Claude Code outside of a run",
      "refused with exit code 1",
    ],
    "docs/guides/scripting.md": [
      /^02-tracing#1\/gate-\d+$/m,
      "Since you last looked",
      "Merge, open a pull request, or keep the branch?",
      /Merged into main as [0-9a-f]{12}/,
      "redo by Ada (token): Name the file and the line",
      "Merge bugfix/BUG-0001-greeting-has-no-name",
    ],
  };

  test.for(scripts)("prints the documented output: $file", async ({ file, script }) => {
    const ended = await runScript(file.replaceAll("/", "-"), script);
    expect(ended).toMatchObject({ status: 0 });
    for (const expected of outputs[file] ?? []) expect(ended.stdout).toMatch(expected);
  });
});

test("reports a failing script", async () => {
  const ended = await runScript("failing", "isdlc continue\necho not reached");
  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain("NO_RUN");
  expect(ended.stdout).not.toContain("not reached");
});

/** Runs in a separate repository, home folder and session, without agent markers. */
async function runScript(name: string, script: string) {
  const [home, repository, bin] = ["home", "repository", "bin"].map((part) => join(folder, name, part)) as [
    string,
    string,
    string,
  ];
  for (const made of [home, repository, bin]) mkdirSync(made, { recursive: true });
  symlinkSync(program, join(bin, "isdlc"));
  for (const file of savedFiles) writeFileSync(join(home, file.name), file.text);
  const env = environment(home, bin);
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["commit", "-q", "--allow-empty", "-m", "Begin"],
  ])
    execFileSync("git", args, { cwd: repository, env });
  const shell = spawn("sh", ["-eu"], { cwd: repository, env, detached: true });
  shell.stdin.end(script);
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  return { status: shell.exitCode, stdout, stderr };
}

function environment(home: string, bin: string): NodeJS.ProcessEnv {
  const foreign = new Set(HOST_MARKERS);
  const kept = Object.entries(process.env).filter(
    ([key]) => !foreign.has(key) && !/^(?:ISDLC|GIT|XDG|VITEST)_|^CI$|^NODE_OPTIONS$/.test(key),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
}
