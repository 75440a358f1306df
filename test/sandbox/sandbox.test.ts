import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { type Attempt, changed, happens, there } from "./sandbox-attempt.ts";
import { missing, type SandboxFixture, suffix } from "./sandbox-fixture.ts";

const attempts: readonly Attempt[] = [
  {
    promise: "a write to a file of .isdlc",
    script: "echo x >.isdlc/state.json",
    happened: changed("tree/.isdlc/state.json"),
  },
  { promise: "a new file in .isdlc", script: "echo x >.isdlc/new", happened: there("tree/.isdlc/new") },
  {
    promise: "a write to documents of another run",
    prepare: ({ put }) => put("tree/.isdlc/work/2/plan.md"),
    script: "echo x >.isdlc/work/2/plan.md; mv .isdlc/work .isdlc/gone",
    happened: changed("tree/.isdlc/work/2/plan.md"),
  },
  { promise: "a move of .isdlc", script: "mv .isdlc gone", happened: there("tree/gone") },
  { promise: "a deletion of .isdlc", script: "rm -rf .isdlc", happened: changed("tree/.isdlc/state.json") },
  {
    promise: "access to .isdlc by another name",
    script: "ln -s .isdlc alias; echo x >alias/new; ln .isdlc/state.json hard && echo x >hard",
    happened: (place) => there("tree/.isdlc/new")(place) || changed("tree/.isdlc/state.json")(place),
  },
  {
    promise: "an unmount, even in new namespaces",
    script:
      'umount "$TREE/.isdlc"; mount -o remount,rw,bind "$TREE/.isdlc"; ' +
      'unshare --user --map-root-user --mount sh -c "umount $TREE/.isdlc; mount -o remount,rw,bind $TREE/.isdlc; echo x >.isdlc/new"; ' +
      "echo x >.isdlc/new",
    happened: there("tree/.isdlc/new"),
  },
  {
    promise: "a new git hook",
    script: "echo x >.git/hooks/pre-commit",
    happened: there("tree/.git/hooks/pre-commit"),
  },
  { promise: "a change of git's settings", script: "git config core.fsmonitor /bin/false && echo did it" },
  { promise: "a move of the git folder", script: "mv .git gone && mkdir .git", happened: there("tree/gone") },
  {
    promise: "a commit",
    script: "echo y >src/app.mjs; git commit --all --quiet --message own && echo did it",
  },
  { promise: "a new branch", script: "git update-ref refs/heads/other HEAD && echo did it" },
  { promise: "a read of a key in the home folder", script: 'cat "$HOME/.ssh/id_ed25519" && echo did it' },
  { promise: "a new file in the home folder", script: 'echo x >"$HOME/.bashrc"', happened: there("home/.bashrc") },
  { promise: "a change of the user's git settings", script: "git config --global core.hooksPath /tmp && echo did it" },
  {
    promise: "a change of product settings that start programs",
    script:
      'echo x >"$HOME/.claude/settings.json"; echo x >"$HOME/.claude.json"; echo x >"$HOME/.claude/new"; grep -q x "$HOME/.claude/settings.json" "$HOME/.claude.json" && echo did it',
  },
  {
    promise: "a change of files read by each shell of the product",
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
    promise: "a change of existing Codex settings",
    prepare: ({ put }) => put("home/.codex/config.toml"),
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'echo x >"$HOME/.codex/config.toml"; rm -f "$HOME/.codex/config.toml"',
    happened: changed("home/.codex/config.toml"),
  },
  {
    promise: "access through a link left for a later execution",
    prepare: ({ home }) => {
      mkdirSync(join(home, ".codex/sessions"), { recursive: true });
      symlinkSync("../../.ssh", join(home, ".codex/sessions/keys"));
    },
    options: ({ home }) => ({ needs: agentNeeds("codex", {}, home) }),
    script: 'cat "$HOME/.codex/sessions/keys/id_ed25519" && echo did it',
  },
  {
    promise: "a read of the token's digest",
    script: 'cat "$XDG_CONFIG_HOME/isdlc/operator-token.json" && echo did it',
  },
  { promise: "a read of the journal's key", script: 'cat "$XDG_STATE_HOME/isdlc/key" && echo did it' },
  {
    promise: "a new settings file of isdlc",
    script: 'echo x >"$XDG_CONFIG_HOME/isdlc/config.json"',
    happened: there("config/isdlc/config.json"),
  },
  {
    promise: "a read of the token through a link in an opened folder",
    prepare: ({ base, home }) => symlinkSync(join(base, "config"), join(home, ".config")),
    options: ({ home }) => ({ extra: { read: [join(home, ".config")], write: [] } }),
    script: 'cat "$HOME/.config/isdlc/operator-token.json" && echo did it',
  },
  { promise: "a write outside of the working tree", script: 'echo x >"$BASE/outside"', happened: there("outside") },
  { promise: "a view of other processes", script: 'test -d "/proc/$OUTSIDE_PID" && echo did it' },
  { promise: "a signal to other processes", script: 'kill -0 "$OUTSIDE_PID" && echo did it' },
  {
    promise: "use of other devices",
    script: "test -e /dev/kmsg -o -e /dev/vda -o -e /dev/sda -o -e /dev/loop-control -o -e /dev/mem && echo did it",
  },
  {
    promise: "a write in a review",
    access: "read",
    script: "echo x >src/app.mjs",
    happened: changed("tree/src/app.mjs"),
  },
  { promise: "a new file in a review", access: "read", script: "echo x >new", happened: there("tree/new") },
  {
    promise: "a change of hooks linked into the tree",
    prepare: linkHooksIntoTree,
    script: "mv tools away; mkdir -p tools/hooks; echo x >tools/hooks/pre-commit; echo x >.git/hooks/pre-commit",
    happened: there("tree/tools/hooks/pre-commit"),
  },
  {
    promise: "a change of another run's worktree in this one",
    prepare: ({ git, put }) => {
      git("worktree", "add", "--quiet", "nested/other");
      put("tree/nested/other/.isdlc/state.json");
    },
    script: "mv nested away; mkdir -p nested/other/.isdlc; echo x >nested/other/.isdlc/state.json",
    happened: changed("tree/nested/other/.isdlc/state.json"),
  },
];

/** A missing file that would make a product start programs for the user. */
function newSetting(path: string): Attempt {
  return {
    promise: `a new ${path} in the home folder`,
    options: ({ home }) => ({ needs: agentNeeds(path.split("/")[0] ?? "", {}, home) }),
    script: `mkdir -p "$(dirname "$HOME/.${path}")"; echo x >"$HOME/.${path}"`,
    happened: there(`home/.${path}`),
  };
}

/** Replaces the usual folder by a link, like teams that share their hooks. */
function linkHooksIntoTree({ tree, put }: SandboxFixture): void {
  put("tree/tools/hooks/pre-push");
  rmSync(join(tree, ".git/hooks"), { recursive: true });
  symlinkSync("../tools/hooks", join(tree, ".git/hooks"));
}

describe.skipIf(missing !== null).concurrent(`sandbox restrictions${suffix} [S4, S9, S10, S11]`, () => {
  test.each(attempts.map((attempt) => [attempt.promise, attempt] as const))("prevent %s", async (_promise, attempt) => {
    const plain = await happens(attempt, false);
    expect(plain.did, `without a sandbox it works: ${plain.ran.stderr}`).toBe(true);
    const sandboxed = await happens(attempt, true);
    expect(sandboxed.did).toBe(false);
    expect(sandboxed.ran.stderr).not.toMatch(/^bwrap: /m);
  });
});
