import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { type Attempt, changed, happens, there } from "./sandbox-attempt.ts";
import { missing, suffix } from "./sandbox-fixture.ts";

const doors: readonly Attempt[] = [
  { promise: "the tree is written", script: "echo x >src/app.mjs", happened: changed("tree/src/app.mjs") },
  {
    promise: "files are added and removed",
    script: "mkdir new && mv src/app.mjs new",
    happened: there("tree/new/app.mjs"),
  },
  {
    promise: "documents are written where the run keeps them, though that is in our folder",
    script: "echo x >.isdlc/work/1/plan.md",
    happened: there("tree/.isdlc/work/1/plan.md"),
  },
  { promise: "our folder is read", script: "grep -q person .isdlc/state.json && echo did it" },
  {
    promise: "git answers",
    script: "echo x >>src/app.mjs; git status --short | grep src/app.mjs && git log -1 && echo did it",
  },
  { promise: "the reviewer reads", access: "read", script: "cat src/app.mjs && git log -1 && echo did it" },
  { promise: "temporary files are made", script: 'echo x >"$(mktemp)" && echo did it' },
  { promise: "the home takes what programs leave there", script: 'mkdir -p "$HOME/.cache/x" && echo did it' },
  { promise: "node is found", script: "node -e 'console.log(\"did it\")'" },
  { promise: "the person's git settings are read", script: "git config user.email && echo did it" },
  {
    promise: "the agent product keeps its conversations",
    script: 'echo x >"$HOME/.claude/projects/conversation.jsonl"',
    happened: there("home/.claude/projects/conversation.jsonl"),
  },
  {
    promise: "Codex keeps its conversations, its login and its log",
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
    promise: "Codex reads its settings, also in a folder elsewhere that is reached through a link",
    prepare: ({ base, home, put }) => {
      put("elsewhere/codex/config.toml");
      symlinkSync(join(base, "elsewhere/codex"), join(home, ".codex"));
    },
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'cat "$HOME/.codex/config.toml" "$BASE/elsewhere/codex/config.toml" && echo did it',
  },
  {
    promise: "a shell of the agent product leaves its files for the next one in the same execution",
    script: 'echo x >"$HOME/.claude/shell-snapshots/one" && cat "$HOME/.claude/shell-snapshots/one" && echo did it',
  },
  {
    promise: "a program below the home is found, with what it was installed with",
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
    promise: "what the person opened is written",
    prepare: ({ put }) => put("home/notes/one"),
    options: ({ home }) => ({ extra: { read: [], write: [join(home, "notes")] } }),
    script: 'echo x >"$HOME/notes/two"',
    happened: there("home/notes/two"),
  },
  {
    promise: "what the person lets it read is read",
    prepare: ({ put }) => put("home/notes/one"),
    options: ({ home }) => ({ extra: { read: [join(home, "notes")], write: [] } }),
    script: 'cat "$HOME/notes/one" && echo did it',
  },
  {
    promise: "a home reached through a link has its folders",
    prepare: ({ base, home }) => symlinkSync(home, join(base, "linked-home")),
    options: ({ base }) => ({
      home: join(base, "linked-home"),
      needs: agentNeeds("claude", {}, join(base, "linked-home")),
    }),
    script: 'test -f "$BASE/linked-home/.claude.json" && echo did it',
  },
];

describe.skipIf(missing !== null).concurrent(`the sandbox lets in${suffix}`, () => {
  test.each(doors.map((door) => [door.promise, door] as const))("%s", async (_promise, door) => {
    const { did, ran } = await happens(door, true);
    expect(did, ran.stderr).toBe(true);
  });
});
