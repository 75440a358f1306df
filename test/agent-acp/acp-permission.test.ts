import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isPermitted, permissionOption, followLinks } from "../../src/adapters/agents/acp/permission.ts";
import { DONE, runFake } from "./run-fake-acp.ts";

type Call = {
  kind?: string;
  rawInput?: unknown;
  locations?: { path: string }[];
  content?: { type: string; path: string }[];
  title?: string;
};
const asked = {
  cwd: "/work",
  item: ".isdlc/work/run-1",
  tests: null,
  commandInTitle: false,
  follow: (path: string) => path,
};
const permitted = (access: "read" | "write", call: Call) =>
  isPermitted({ ...asked, access, call: { toolCallId: "1", ...call } });
const at = (...paths: string[]) => ({ locations: paths.map((path) => ({ path })) });
const run = (command: unknown, more = {}) => ({ kind: "execute", rawInput: { command, ...more } });

describe("permission for a tool call [S4]", () => {
  test.each<[string, Call, { read: boolean; write: boolean }]>([
    ["read a file", { kind: "read", ...at("/work/a.ts") }, { read: true, write: true }],
    ["read a relative path", { kind: "read", rawInput: { path: "src/a.ts" } }, { read: true, write: true }],
    ["search", { kind: "search" }, { read: true, write: true }],
    ["think", { kind: "think" }, { read: true, write: true }],
    ["read outside", { kind: "read", ...at("/etc/passwd") }, { read: false, write: false }],
    [
      "read outside, named in the arguments",
      { kind: "read", rawInput: { file_path: "/etc/passwd" } },
      { read: false, write: false },
    ],
    ["search outside", { kind: "search", rawInput: { path: ".." } }, { read: false, write: false }],
    ["edit", { kind: "edit", ...at("/work/a.ts") }, { read: false, write: true }],
    [
      "edit the path of a diff",
      { kind: "edit", content: [{ type: "diff", path: "/work/a.ts" }] },
      { read: false, write: true },
    ],
    ["delete", { kind: "delete", ...at("/work/a.ts") }, { read: false, write: true }],
    ["move", { kind: "move", ...at("/work/a.ts", "/work/b.ts") }, { read: false, write: true }],
    ["edit without a path", { kind: "edit", title: "Write /work/a.ts" }, { read: false, write: false }],
    ["edit outside", { kind: "edit", ...at("/etc/hosts") }, { read: false, write: false }],
    ["edit a sibling folder", { kind: "edit", ...at("/workshop/a.ts") }, { read: false, write: false }],
    ["edit a parent folder", { kind: "edit", ...at("/work/../a.ts") }, { read: false, write: false }],
    ["edit a file with dots", { kind: "edit", ...at("/work/..a.ts") }, { read: false, write: true }],
    ["edit inside and outside", { kind: "edit", ...at("/work/a.ts", "/etc/hosts") }, { read: false, write: false }],
    [
      "edit inside, with a path outside in the arguments",
      { kind: "edit", ...at("/work/a"), rawInput: { filePath: "/b" } },
      { read: false, write: false },
    ],
    [
      "move to a path outside",
      { kind: "move", ...at("/work/a.ts"), rawInput: { destination: "/b" } },
      { read: false, write: false },
    ],
    ["edit a git hook", { kind: "edit", ...at("/work/.git/hooks/pre-commit") }, { read: false, write: false }],
    ["edit .git in capital letters", { kind: "edit", ...at("/work/.GIT/config") }, { read: false, write: false }],
    [
      "edit .git of a nested repository",
      { kind: "edit", ...at("/work/lib/.git/config") },
      { read: false, write: false },
    ],
    ["edit the state of isdlc", { kind: "edit", ...at("/work/.isdlc/state.json") }, { read: false, write: false }],
    ["edit .gitignore", { kind: "edit", ...at("/work/.gitignore") }, { read: false, write: true }],
    ["read an overlong path", { kind: "read", ...at(`/work/${"a/".repeat(2100)}`) }, { read: false, write: false }],
    ["read a long path", { kind: "read", ...at(`/work/${"a/".repeat(2000)}`) }, { read: true, write: true }],
    [
      "read too many paths",
      { kind: "read", ...at(...Array.from({ length: 201 }, () => "/work/a")) },
      { read: false, write: false },
    ],
    ["fetch", { kind: "fetch" }, { read: false, write: false }],
    ["change the mode", { kind: "switch_mode" }, { read: false, write: false }],
    ["perform another kind of action", { kind: "other", ...at("/work/a.ts") }, { read: false, write: false }],
    ["perform an unknown kind of action", { kind: "deploy" }, { read: false, write: false }],
    ["perform an action without a kind", at("/work/a.ts"), { read: false, write: false }],
  ])("is decided for a request to %s", (_, call, expected) => {
    expect({ read: permitted("read", call), write: permitted("write", call) }).toEqual(expected);
  });

  test.each<[unknown, boolean]>([
    ["git status", true],
    ["git --no-pager log --oneline -5", true],
    ["git diff --stat HEAD~1 -- src/a.ts", true],
    ["git show HEAD:src/a.ts", true],
    ["git log main..HEAD", true],
    [["git", "status", "--short"], true],
    [["bash", "-lc", "git diff --cached"], true],
    [["/bin/sh", "-c", "git status"], true],
    ["git", false],
    ["git push", false],
    ["git commit -m x", false],
    ["git branch -D main", false],
    ["git diff --output=/work/a HEAD", false],
    ["git diff --ext-diff", false],
    ["git -c core.pager=x log", false],
    ["git diff /etc/passwd /etc/shadow", false],
    ["git diff ../../secret a", false],
    ["git log ~/x", false],
    ["git status; rm -rf .", false],
    ["git status && npm test", false],
    ["git status | sh", false],
    ["git log > a", false],
    ["git log $(x)", false],
    ["git log `x`", false],
    ["git status\nrm a", false],
    ["GIT_PAGER=x git log", false],
    ["/tmp/git status", false],
    ["npm test", false],
    ["", false],
    [["bash", "-lc", "git status; x"], false],
    [["bash", "-lc", "git status", "x"], false],
    [["git", "log", "; x"], false],
    [["git", 7], false],
    [[], false],
    [undefined, false],
    [{ git: "status" }, false],
  ])("allows the command %j in a phase: %s", (command, expected) => {
    expect(permitted("write", run(command))).toBe(expected);
    expect(permitted("read", run(command))).toBe(false);
  });

  test("reads a command from the title only for agents that put it there", () => {
    const allowed = (title: string, commandInTitle: boolean) =>
      isPermitted({ ...asked, access: "write", commandInTitle, call: { toolCallId: "1", kind: "execute", title } });
    expect(allowed("git status", false)).toBe(false);
    expect(allowed("git status", true)).toBe(true);
    expect(allowed("npm test", true)).toBe(false);
    const told = { toolCallId: "1", kind: "execute", title: "git status", rawInput: { command: "npm test" } };
    expect(isPermitted({ ...asked, access: "write", commandInTitle: true, call: told })).toBe(false);
  });

  test.each<[readonly string[], unknown, boolean]>([
    [["npm", "test"], "npm test", true],
    [["npm", "test"], ["npm", "test"], true],
    [["npm", "test"], ["bash", "-lc", "npm test"], true],
    [["npm", "test"], "npm test -- --watch", false],
    [["npm", "test"], "npm", false],
    [["npm", "test"], ["npm test"], false],
    [["npm", "run", "a"], ["npm", "run a"], false],
    [["PATH=bin", "test"], "PATH=bin test", false],
    [["~/run", "test"], "~/run test", false],
  ])("allows with the tests %j the command %j in a phase: %s", (tests, command, expected) => {
    const call = { toolCallId: "1", ...run(command) };
    expect(isPermitted({ ...asked, access: "write", tests, call })).toBe(expected);
    expect(isPermitted({ ...asked, access: "read", tests, call })).toBe(false);
  });

  test("is refused for a command in another folder", () => {
    expect(permitted("write", run("git status", { cwd: "/elsewhere" }))).toBe(false);
    expect(permitted("write", run("git status", { workdir: "/work/lib" }))).toBe(true);
  });
});

describe("permission to edit through links [S4]", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-links-")));
  const cwd = join(folder, "work");
  mkdirSync(join(cwd, "src"), { recursive: true });
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "out/file"), "");
  for (const [name, target] of [
    ["folder", "../out"],
    ["file", "../out/file"],
    ["dangling", "../out/new"],
    ["chained", "dangling"],
    ["loop", "loop"],
    ["hooks", ".git/hooks"],
    ["inner", "src"],
  ] as const)
    symlinkSync(target, join(cwd, name));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ["src/a.ts", true],
    ["new/folder/a.ts", true],
    ["inner/a.ts", true],
    ["folder/a.ts", false],
    ["folder/deep/a.ts", false],
    ["file", false],
    ["dangling", false],
    ["chained", false],
    ["loop", false],
    ["hooks/pre-commit", false],
  ])("allows %s: %s", (path, expected) => {
    const call = { toolCallId: "1", kind: "edit", ...at(join(cwd, path)) };
    expect(isPermitted({ ...asked, access: "write", cwd, call, follow: followLinks })).toBe(expected);
  });
});

describe("answer to a permission request", () => {
  const options = ["allow_always", "allow_once", "reject_always", "reject_once"].map((kind) => ({
    optionId: kind,
    kind,
  }));

  test.each([
    [options, true, "allow_once"],
    [options, false, "reject_once"],
    [options.slice(0, 3), false, "reject_always"],
    [options.slice(0, 1), true, null],
    [options.slice(0, 2), false, null],
    [[], true, null],
  ])("selects a single-use option", (offered, isAllowed, chosen) => {
    expect(permissionOption(offered, isAllowed)).toBe(chosen);
  });

  test("uses all facts about the call, and shows a refusal", async () => {
    const edit = { toolCallId: "e", title: "Edit", kind: "edit", rawInput: { file_path: "src/a.ts" } };
    const shell = { toolCallId: "s", title: "npm test", kind: "execute", rawInput: { command: "npm test" } };
    const play = [
      { update: { sessionUpdate: "tool_call", ...edit } },
      { permission: { toolCall: { toolCallId: "e", kind: null }, options } },
      { permission: { toolCall: shell, options } },
      { permission: { toolCall: shell, options: [] } },
      { permission: { toolCall: 7 } },
      { say: DONE },
    ];
    const { end, progress } = await runFake({ plays: [play] });
    expect(end.how).toBe("result");
    expect(progress).toEqual([
      "Edit",
      'chose {"outcome":"selected","optionId":"allow_once"}',
      "npm test",
      "Not allowed: npm test",
      'chose {"outcome":"selected","optionId":"reject_once"}',
      "Not allowed: npm test",
      'chose {"outcome":"cancelled"}',
      expect.stringMatching(/^chose \{"code":-32602/) as string,
    ]);
  });
});

describe("permission for the test command [S4]", () => {
  const tests = ["npm", "run", "test:unit"];
  const mayRun = (command: unknown, more = {}, access: "read" | "write" = "write") =>
    isPermitted({ ...asked, access, tests, call: { toolCallId: "1", ...run(command, more) } });

  test.each<[unknown, boolean]>([
    ["npm run test:unit", true],
    [["npm", "run", "test:unit"], true],
    [["/bin/bash", "-lc", "npm run test:unit"], true],
    ["npm run test:unit --update", false],
    ["npm run test", false],
    ["npm run test:unit && touch x", false],
    ["npm run test:unit > x", false],
    ["X=1 npm run test:unit", false],
  ])("allows %j: %s", (command, allowed) => {
    expect(mayRun(command)).toBe(allowed);
  });

  test("is limited to phases with a test command, in the working directory", () => {
    const command = "npm run test:unit";
    expect(mayRun(command, { cwd: "/work" })).toBe(true);
    expect(mayRun(command, { cwd: "/work/inner" })).toBe(false);
    expect(mayRun(command, {}, "read")).toBe(false);
    expect(permitted("write", run(command))).toBe(false);
  });
});

test("lists each refused call once with the result", async () => {
  const permission = (command: string) => ({
    permission: {
      toolCall: { toolCallId: command, title: command, kind: "execute", rawInput: { command } },
      options: [{ optionId: "no", kind: "reject_once" }],
    },
  });
  const play = [permission("npm install left-pad"), permission("npm install left-pad"), permission("git status")];
  const { end } = await runFake({ plays: [[...play, { say: DONE }]] });
  expect(end).toMatchObject({ how: "result", denied: ["npm install left-pad"] });
});
