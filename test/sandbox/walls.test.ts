import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import type { ConfineOptions } from "../../src/adapters/sandbox/create-confine.ts";
import { confineOf, createPlace, type Layout, missing, type Place, play, type Ran } from "./sandbox-place.ts";

type Attempt = {
  readonly promise: string;
  /** A deed that works without a wall; says "did it", or leaves something that `happened` finds. */
  readonly script: string;
  readonly happened?: (place: Place, ran: Ran) => boolean;
  readonly prepare?: (place: Place) => void;
  readonly access?: "read" | "write";
  readonly options?: (place: Place) => Partial<ConfineOptions>;
};

const saysSo = (_place: Place, { stdout }: Ran): boolean => stdout.includes("did it");
const there =
  (path: string) =>
  (place: Place): boolean =>
    existsSync(join(place.base, path));
const changed =
  (path: string) =>
  (place: Place): boolean =>
    !existsSync(join(place.base, path)) || readFileSync(join(place.base, path), "utf8") !== "the person's\n";

const walls: readonly Attempt[] = [
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
function linkHooksIntoTree({ tree, put }: Place): void {
  put("tree/tools/hooks/pre-push");
  rmSync(join(tree, ".git/hooks"), { recursive: true });
  symlinkSync("../tools/hooks", join(tree, ".git/hooks"));
}

async function happens(attempt: Attempt, isConfined: boolean): Promise<{ did: boolean; ran: Ran }> {
  const place = createPlace();
  attempt.prepare?.(place);
  const { access = "write", happened = saysSo } = attempt;
  const confine = isConfined ? confineOf(place, attempt.options?.(place)) : undefined;
  const ran = await play(place, attempt.script, { access, confine });
  return { did: happened(place, ran), ran };
}

const suffix = missing === null ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== null).concurrent(`S4 S9 S10 S11 the sandbox keeps out${suffix}`, () => {
  test.each(walls.map((wall) => [wall.promise, wall] as const))("%s", async (_promise, wall) => {
    const plain = await happens(wall, false);
    expect(plain.did, `without a sandbox it works: ${plain.ran.stderr}`).toBe(true);
    const confined = await happens(wall, true);
    expect(confined.did).toBe(false);
    expect(confined.ran.stderr).not.toMatch(/^bwrap: /m);
  });
});

describe.skipIf(missing !== null).concurrent(`the sandbox lets in${suffix}`, () => {
  test.each(doors.map((door) => [door.promise, door] as const))("%s", async (_promise, door) => {
    const { did, ran } = await happens(door, true);
    expect(did, ran.stderr).toBe(true);
  });
});

describe.skipIf(missing !== null)(`the sandbox in odd places${suffix}`, () => {
  const deed = 'echo x >src/app.mjs; echo x >.isdlc/state.json; cat "$HOME/.ssh/id_ed25519"; echo said';
  const layouts: readonly (readonly [string, Layout])[] = [
    ["a tree in /tmp", { within: tmpdir() }],
    ["a tree in the home", { tree: "home/code/tree" }],
    ["a path with spaces, line breaks, quotes and dashes", { tree: "-- a b\n'\"$(x)/--bind" }],
  ];
  test.each(layouts)("%s", async (_name, layout) => {
    const place = createPlace(layout);
    const ran = await play(place, deed, { confine: confineOf(place) });
    expect(ran.stdout).toBe("said");
    expect(readFileSync(join(place.tree, "src/app.mjs"), "utf8")).toBe("x\n");
    expect(readFileSync(join(place.tree, ".isdlc/state.json"), "utf8")).toBe("the person's\n");
  });

  test("a reviewer's copy in /tmp is read and not written", async () => {
    const place = createPlace({ within: tmpdir() });
    const script = "cat src/app.mjs; echo x >src/app.mjs";
    const ran = await play(place, script, { confine: confineOf(place), access: "read" });
    expect(ran.stdout).toBe("the person's");
    expect(ran.stderr).toContain("Read-only file system");
    expect(changed("tree/src/app.mjs")(place)).toBe(false);
  });

  test("a service that listens on a socket in /tmp is not reached", async () => {
    const place = createPlace({ within: tmpdir() });
    const socket = join(place.base, "service.sock");
    const server = createServer((connection) => connection.end("did it\n")).listen(socket);
    await once(server, "listening");
    const script = `node -e 'require("net").connect(process.argv[1]).pipe(process.stdout)' "$BASE/service.sock"`;
    const [plain, confined] = [await play(place, script), await play(place, script, { confine: confineOf(place) })];
    server.close();
    expect(plain.stdout).toBe("did it");
    expect(confined.stdout).toBe("");
    expect(confined.stderr).toContain("ENOENT");
  });

  test("a linked working tree: its own folder is written, the repository it belongs to is not", async () => {
    const place = createPlace({ tree: "home/main" });
    const tree = join(place.home, "linked");
    place.git("worktree", "add", "--quiet", tree);
    place.put("home/linked/.isdlc/state.json");
    const common = join(place.tree, ".git");
    const confine = confineOf(place, { root: tree, gitDirs: [join(common, "worktrees/linked"), common] });
    const script =
      "echo x >src/app.mjs; git log -1 --format=%s; echo x >.isdlc/state.json; echo x >$TREE/.isdlc/state.json; " +
      "echo x >$TREE/.git/hooks/pre-commit; git config a.b c; rm -f .git; git commit --all --message own; mv .git away";
    const ran = await play(place, script, { confine, cwd: tree });
    expect(ran.stdout).toContain("First");
    expect(readFileSync(join(tree, "src/app.mjs"), "utf8")).toBe("x\n");
    for (const folder of [tree, place.tree])
      expect(readFileSync(join(folder, ".isdlc/state.json"), "utf8")).toBe("the person's\n");
    expect(existsSync(join(common, "hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(tree, ".git"), "utf8")).toContain("gitdir: ");
    expect(place.git("log", "--all", "--format=%s").trim()).toBe("First");
  });

  test("an agent that works in a copy writes there and not in the tree", async () => {
    const place = createPlace();
    place.put("copy/src/app.mjs");
    const cwd = join(place.base, "copy");
    const script = 'echo x >src/app.mjs; echo x >"$TREE/src/app.mjs"';
    await play(place, script, { confine: confineOf(place, { extra: { read: [], write: [place.tree] } }), cwd });
    expect(readFileSync(join(cwd, "src/app.mjs"), "utf8")).toBe("x\n");
    expect(readFileSync(join(place.tree, "src/app.mjs"), "utf8")).toBe("the person's\n");
  });
});
