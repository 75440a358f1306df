import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { type Attempt, changed, happens, there } from "./sandbox-attempt.ts";
import { missing, type SandboxFixture, suffix } from "./sandbox-fixture.ts";

const attempts: readonly Attempt[] = [
  {
    promise: "a file of ours cannot be written",
    script: "echo x >.isdlc/state.json",
    happened: changed("tree/.isdlc/state.json"),
  },
  { promise: "nothing is added to our folder", script: "echo x >.isdlc/new", happened: there("tree/.isdlc/new") },
  {
    promise: "the documents of another run are not written",
    prepare: ({ put }) => put("tree/.isdlc/work/2/plan.md"),
    script: "echo x >.isdlc/work/2/plan.md; mv .isdlc/work .isdlc/gone",
    happened: changed("tree/.isdlc/work/2/plan.md"),
  },
  { promise: "our folder cannot be moved", script: "mv .isdlc gone", happened: there("tree/gone") },
  { promise: "our folder cannot be removed", script: "rm -rf .isdlc", happened: changed("tree/.isdlc/state.json") },
  {
    promise: "our folder cannot be reached by another name",
    script: "ln -s .isdlc alias; echo x >alias/new; ln .isdlc/state.json hard && echo x >hard",
    happened: (place) => there("tree/.isdlc/new")(place) || changed("tree/.isdlc/state.json")(place),
  },
  {
    promise: "a mount cannot be undone, not even in namespaces of its own",
    script:
      'umount "$TREE/.isdlc"; mount -o remount,rw,bind "$TREE/.isdlc"; ' +
      'unshare --user --map-root-user --mount sh -c "umount $TREE/.isdlc; mount -o remount,rw,bind $TREE/.isdlc; echo x >.isdlc/new"; ' +
      "echo x >.isdlc/new",
    happened: there("tree/.isdlc/new"),
  },
  {
    promise: "no hook is installed",
    script: "echo x >.git/hooks/pre-commit",
    happened: there("tree/.git/hooks/pre-commit"),
  },
  { promise: "git's settings stay", script: "git config core.fsmonitor /bin/false && echo did it" },
  { promise: "the git folder cannot be moved", script: "mv .git gone && mkdir .git", happened: there("tree/gone") },
  {
    promise: "nothing is committed",
    script: "echo y >src/app.mjs; git commit --all --quiet --message own && echo did it",
  },
  { promise: "no branch is moved", script: "git update-ref refs/heads/other HEAD && echo did it" },
  { promise: "a key in the home is not seen", script: 'cat "$HOME/.ssh/id_ed25519" && echo did it' },
  { promise: "nothing is left in the home", script: 'echo x >"$HOME/.bashrc"', happened: there("home/.bashrc") },
  { promise: "the person's git settings stay", script: "git config --global core.hooksPath /tmp && echo did it" },
  {
    promise: "the settings of the agent product stay, by which it would start programs outside",
    script:
      'echo x >"$HOME/.claude/settings.json"; echo x >"$HOME/.claude.json"; echo x >"$HOME/.claude/new"; grep -q x "$HOME/.claude/settings.json" "$HOME/.claude.json" && echo did it',
  },
  {
    promise: "the files every shell of the agent product reads stay",
    prepare: ({ put }) => {
      put("home/.claude/shell-snapshots/snapshot-1.sh");
      put("home/.claude/session-env/one/hook.sh");
    },
    script:
      'cd "$HOME/.claude"; echo x >shell-snapshots/snapshot-1.sh; mkdir -p session-env/one; echo x >session-env/one/hook.sh',
    happened: (place) =>
      changed("home/.claude/shell-snapshots/snapshot-1.sh")(place) ||
      changed("home/.claude/session-env/one/hook.sh")(place),
  },
  ...["codex/config.toml", "codex/hooks.json", "gemini/settings.json", "gemini/tmp/bin/rg", "qwen/.env"].map(
    newSetting,
  ),
  ...["copilot/hooks/x.json", "codex/skills/x/SKILL.md"].map(newSetting),
  {
    promise: "settings of Codex that are there stay",
    prepare: ({ put }) => put("home/.codex/config.toml"),
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'echo x >"$HOME/.codex/config.toml"; rm -f "$HOME/.codex/config.toml"',
    happened: changed("home/.codex/config.toml"),
  },
  {
    promise: "a link in a product's folder opens nothing to a later execution",
    prepare: ({ home }) => {
      mkdirSync(join(home, ".codex/sessions"), { recursive: true });
      symlinkSync("../../.ssh", join(home, ".codex/sessions/keys"));
    },
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'cat "$HOME/.codex/sessions/keys/id_ed25519" && echo did it',
  },
  {
    promise: "the token's digest is not seen",
    script: 'cat "$XDG_CONFIG_HOME/isdlc/operator-token.json" && echo did it',
  },
  { promise: "the key of the journal is not seen", script: 'cat "$XDG_STATE_HOME/isdlc/key" && echo did it' },
  {
    promise: "nothing is put where our settings are read",
    script: 'echo x >"$XDG_CONFIG_HOME/isdlc/config.json"',
    happened: there("config/isdlc/config.json"),
  },
  {
    promise: "the token is not seen through a link in the home, below which the person opened everything",
    prepare: ({ base, home }) => symlinkSync(join(base, "config"), join(home, ".config")),
    options: ({ home }) => ({ extra: { read: [join(home, ".config")], write: [] } }),
    script: 'cat "$HOME/.config/isdlc/operator-token.json" && echo did it',
  },
  { promise: "nothing outside of the tree is written", script: 'echo x >"$BASE/outside"', happened: there("outside") },
  { promise: "other processes are not seen", script: 'test -d "/proc/$OUTSIDE_PID" && echo did it' },
  { promise: "other processes are not ended", script: 'kill -0 "$OUTSIDE_PID" && echo did it' },
  {
    promise: "no device but the harmless ones",
    script: "test -e /dev/kmsg -o -e /dev/vda -o -e /dev/sda -o -e /dev/loop-control -o -e /dev/mem && echo did it",
  },
  {
    promise: "the reviewer writes nothing",
    access: "read",
    script: "echo x >src/app.mjs",
    happened: changed("tree/src/app.mjs"),
  },
  { promise: "the reviewer adds nothing", access: "read", script: "echo x >new", happened: there("tree/new") },
  {
    promise: "a folder of hooks that is a link into the tree is kept as it is",
    prepare: linkHooksIntoTree,
    script: "mv tools away; mkdir -p tools/hooks; echo x >tools/hooks/pre-commit; echo x >.git/hooks/pre-commit",
    happened: there("tree/tools/hooks/pre-commit"),
  },
  {
    promise: "a working tree of another run below this one is kept as it is",
    prepare: ({ git, put }) => {
      git("worktree", "add", "--quiet", "nested/other");
      put("tree/nested/other/.isdlc/state.json");
    },
    script: "mv nested away; mkdir -p nested/other/.isdlc; echo x >nested/other/.isdlc/state.json",
    happened: changed("tree/nested/other/.isdlc/state.json"),
  },
];

/** A file by which a product would start programs for the person: it is not there yet. */
function newSetting(path: string): Attempt {
  return {
    promise: `no new ${path} stays in the home`,
    options: ({ home }) => ({ needs: agentNeeds(path.split("/")[0] ?? "", {}, home) }),
    script: `mkdir -p "$(dirname "$HOME/.${path}")"; echo x >"$HOME/.${path}"`,
    happened: there(`home/.${path}`),
  };
}

/** With a link of their own in the place of the usual folder, as teams do that share their hooks. */
function linkHooksIntoTree({ tree, put }: SandboxFixture): void {
  put("tree/tools/hooks/pre-push");
  rmSync(join(tree, ".git/hooks"), { recursive: true });
  symlinkSync("../tools/hooks", join(tree, ".git/hooks"));
}

describe.skipIf(missing !== null).concurrent(`S4 S9 S10 S11 the sandbox keeps out${suffix}`, () => {
  test.each(attempts.map((attempt) => [attempt.promise, attempt] as const))("%s", async (_promise, attempt) => {
    const plain = await happens(attempt, false);
    expect(plain.did, `without a sandbox it works: ${plain.ran.stderr}`).toBe(true);
    const sandboxed = await happens(attempt, true);
    expect(sandboxed.did).toBe(false);
    expect(sandboxed.ran.stderr).not.toMatch(/^bwrap: /m);
  });
});
