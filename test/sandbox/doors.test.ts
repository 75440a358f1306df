import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { type Attempt, changed, happens, there } from "./sandbox-attempt.ts";
import { missing, suffix } from "./sandbox-fixture.ts";

const doors: readonly Attempt[] = [
  { promise: "write the working tree", script: "echo x >src/app.mjs", happened: changed("tree/src/app.mjs") },
  {
    promise: "add and remove files",
    script: "mkdir new && mv src/app.mjs new",
    happened: there("tree/new/app.mjs"),
  },
  {
    promise: "write the documents of its run in .isdlc",
    script: "echo x >.isdlc/work/1/plan.md",
    happened: there("tree/.isdlc/work/1/plan.md"),
  },
  { promise: "read .isdlc", script: "grep -q person .isdlc/state.json && echo did it" },
  {
    promise: "run git",
    script: "echo x >>src/app.mjs; git status --short | grep src/app.mjs && git log -1 && echo did it",
  },
  { promise: "read in a review", access: "read", script: "cat src/app.mjs && git log -1 && echo did it" },
  { promise: "create temporary files", script: 'echo x >"$(mktemp)" && echo did it' },
  { promise: "write caches in the home folder", script: 'mkdir -p "$HOME/.cache/x" && echo did it' },
  { promise: "run node", script: "node -e 'console.log(\"did it\")'" },
  { promise: "read the user's git settings", script: "git config user.email && echo did it" },
  {
    promise: "store conversations of the agent product",
    script: 'echo x >"$HOME/.claude/projects/conversation.jsonl"',
    happened: there("home/.claude/projects/conversation.jsonl"),
  },
  {
    promise: "store conversations, login and log of Codex",
    prepare: ({ put }) => put("home/.codex/auth.json"),
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'cd "$HOME/.codex" && echo x >sessions/one && echo x >auth.json && echo x >log/one && echo x >state.sqlite',
    happened: (place) =>
      there("home/.codex/sessions/one")(place) &&
      there("home/.codex/log/one")(place) &&
      changed("home/.codex/auth.json")(place) &&
      !there("home/.codex/state.sqlite")(place),
  },
  {
    promise: "read Codex's settings in a linked folder elsewhere",
    prepare: ({ base, home, put }) => {
      put("elsewhere/codex/config.toml");
      symlinkSync(join(base, "elsewhere/codex"), join(home, ".codex"));
    },
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'cat "$HOME/.codex/config.toml" "$BASE/elsewhere/codex/config.toml" && echo did it',
  },
  {
    promise: "keep files of the product's shell during an execution",
    script: 'echo x >"$HOME/.claude/shell-snapshots/one" && cat "$HOME/.claude/shell-snapshots/one" && echo did it',
  },
  {
    promise: "run a program installed in the home folder",
    prepare: ({ put, home }) => {
      put("home/packages/node_modules/agent/cli.mjs", 'import "../needed/index.mjs";\n');
      put("home/packages/node_modules/needed/index.mjs", 'console.log("did it");\n');
      mkdirSync(join(home, "links"));
      symlinkSync("../packages/node_modules/agent/cli.mjs", join(home, "links/agent.mjs"));
    },
    options: ({ home }) => ({ command: ["node", join(home, "links/agent.mjs")] }),
    script: 'node "$HOME/links/agent.mjs"',
  },
  {
    promise: "write paths opened by the user",
    prepare: ({ put }) => put("home/notes/one"),
    options: ({ home }) => ({ extra: { read: [], write: [join(home, "notes")] } }),
    script: 'echo x >"$HOME/notes/two"',
    happened: there("home/notes/two"),
  },
  {
    promise: "read paths opened by the user",
    prepare: ({ put }) => put("home/notes/one"),
    options: ({ home }) => ({ extra: { read: [join(home, "notes")], write: [] } }),
    script: 'cat "$HOME/notes/one" && echo did it',
  },
  {
    promise: "use a linked home folder",
    prepare: ({ base, home }) => symlinkSync(home, join(base, "linked-home")),
    options: ({ base }) => ({
      home: join(base, "linked-home"),
      needs: agentNeeds("claude", {}, join(base, "linked-home")),
    }),
    script: 'test -f "$BASE/linked-home/.claude.json" && echo did it',
  },
];

describe.skipIf(missing !== null).concurrent(`sandbox permissions${suffix}`, () => {
  test.each(doors.map((door) => [door.promise, door] as const))("allow an agent to %s", async (_promise, door) => {
    const { did, ran } = await happens(door, true);
    expect(did, ran.stderr).toBe(true);
  });
});
