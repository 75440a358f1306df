import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { answerEvent, refuseTool, type Situation } from "../../src/surfaces/hook/answer-event.ts";
import { SESSION_VERBS } from "../../src/surfaces/hook/guard-verbs.ts";
import type { Marker } from "../../src/surfaces/hook/marker.ts";
import { verbs } from "../../src/surfaces/cli/grammar/catalog.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-guard-")));
const root = join(base, "tree");
const home = join(base, "home");
const item = "docs/requirements/REQ-0001-login";
for (const folder of [".isdlc/journal", ".git", ".claude", "src", item, "test"])
  mkdirSync(join(root, folder), { recursive: true });
mkdirSync(join(home, ".claude"), { recursive: true });
symlinkSync(join(root, ".isdlc"), join(root, "alias"));
writeFileSync(join(root, "src/a.ts"), "");
afterAll(() => removeTemporary(base));

const marker: Marker = {
  run: "20261116-010000000-aaaa",
  phase: "01-requirements",
  item,
  writes: "item",
  wait: null,
  session: "s1",
  outputs: [`${item}/requirements-spec.md`],
  later: [`${item}/design.md`],
};
const situation = (change: Partial<Marker> | null = {}): Situation => ({
  root,
  cwd: root,
  home,
  mayBeHost: (pid) => pid === "1",
  closed: () => [join(home, ".config/isdlc"), join(home, ".claude/settings.json"), join(home, ".codex")],
  marker: change === null ? null : { ...marker, ...change },
  realpath: realpathSync,
  exists: existsSync,
});
const tool = (name: string, input: Readonly<Record<string, unknown>>, change: Partial<Marker> | null = {}) =>
  refuseTool(situation(change), { hook_event_name: "PreToolUse", tool_name: name, tool_input: input, cwd: root });
const shell = (command: string, change: Partial<Marker> | null = {}) => tool("Bash", { command }, change);

describe("protected files of state, repository and settings", () => {
  test.each([
    ["Write", { file_path: ".isdlc/state.json" }],
    ["Write", { file_path: join(root, ".isdlc/journal/x.jsonl") }],
    ["Edit", { file_path: ".git/config" }],
    ["Write", { file_path: ".ISDLC/state.json" }],
    ["Write", { file_path: "alias/state.json" }],
    ["Write", { file_path: "docs/../.isdlc/state.json" }],
    ["Write", { file_path: `${item}/.git/hooks/x` }],
    ["MultiEdit", { file_path: ".claude/settings.local.json" }],
    ["NotebookEdit", { notebook_path: ".claude/x.ipynb" }],
    ["Write", { file_path: join(home, ".claude/settings.json") }],
    ["Write", { file_path: "~/.codex/config.toml" }],
    ["write_file", { file_path: ".gemini/settings.json" }],
    ["write", { filePath: "opencode.json" }],
    ["apply_patch", { input: "*** Begin Patch\n*** Update File: .isdlc/state.json\n@@\n-a\n+b\n*** End Patch" }],
    [
      "apply_patch",
      { input: `*** Begin Patch\n*** Update File: ${item}/a.md\n*** Move to: .git/config\n*** End Patch` },
    ],
    ["Bash", { command: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .isdlc/active\n+{}\n*** End Patch\nEOF` }],
  ])("are not written by %s %j", (name, input) => {
    expect(tool(name, input)).toEqual(expect.stringMatching(/isdlc|session|person/));
    expect(tool(name, input, { writes: "tree" })).not.toBeNull();
  });

  test.each([
    "echo '{}' > .isdlc/state.json",
    "echo x >> .isdlc/journal/run.jsonl",
    "cd .isdlc && tee state.json < /dev/null",
    "cd .isdlc; echo x > state.json",
    "mv src/a.ts .isdlc/state.json",
    "cp src/a.ts .isdlc/",
    "rm -rf .isdlc",
    "rm -rf .is*",
    "rm -rf .{isdlc,git}",
    "git checkout -- .isdlc",
    "git -C . checkout HEAD~1 -- .",
    "ln -s .isdlc other",
    "echo x > alias/state.json",
    "echo x > .ISDLC/state.json",
    `python3 -c "open('.isdlc/state.json','w').write('{}')"`,
    `node -e 'require("fs").writeFileSync(".isdlc/active","")'`,
    "sed -i s/a/b/ .isdlc/state.json",
    "dd if=/dev/zero of=.isdlc/active",
    "truncate -s0 .isdlc/active",
    "perl -pi -e s/x/y/ .git/config",
    "bash -c 'echo x > .isdlc/state.json'",
    "sh -c \"sh -c 'rm .isdlc/active'\"",
    "eval 'rm .isdlc/active'",
    "echo $(rm .isdlc/active)",
    "echo `rm .isdlc/active`",
    'echo "$(date)" > .isdlc/state.json',
    'echo "`date`" > .isdlc/state.json',
    "echo `case x in x) date;; esac` > .isdlc/state.json",
    "echo $'it\\'s' > .isdlc/state.json",
    "echo x > $'.isdlc/state.json'",
    'echo x > $".isdlc/state.json"',
    "rm $(echo -f) .isdlc/active",
    'tee "a$(date)b" .isdlc/active',
    'echo "$(case x in x) rm .isdlc/active;; esac)"',
    'echo "$( (date); echo "$(date)" )" && rm .isdlc/active',
    'echo "$((1 + (2)))" > .isdlc/state.json',
    "cat x >(tee .isdlc/active)",
    "diff <(date) <(rm .isdlc/active)",
    'echo x > "$(pwd)/.isdlc/state.json"',
    `: ${"$(".repeat(5000)} rm .isdlc/active`,
    "find . -name active -exec rm .isdlc/active ;",
    "true && rm -f $PWD/.isdlc/active",
    "env X=1 rm .isdlc/active",
    "timeout 5 rm .isdlc/active",
    "echo x > $HOME/.claude/settings.json",
    "echo x > ~/.codex/config.toml",
    "jq . x > .claude/settings.json",
    "tar xf a.tar -C .isdlc",
  ])("are not written by %s", (command) => {
    expect(shell(command)).not.toBeNull();
    expect(shell(command, { writes: "tree" })).not.toBeNull();
  });
});

describe("commands of the user in a session", () => {
  test.each([
    "isdlc continue",
    "isdlc redo again",
    "isdlc -C . continue",
    "npx isdlc cancel --reason x",
    "node /usr/lib/isdlc/dist/bin/isdlc.cjs skip",
    "cd src && isdlc retry",
    "ISDLC_OPERATOR_TOKEN=x isdlc continue",
    "setsid script -qec 'isdlc continue' /dev/null",
    "isdlc config set approvals token",
    "isdlc mcp",
    "( cat rpc.txt; sleep 3 ) | isdlc mcp",
    "exec isdlc mcp < rpc.txt",
    "node dist/bin/isdlc.cjs mcp",
    "echo '{}' | isdlc hook session-start",
    "isdlc doctor --fix",
    "isdlc feature 'something else'",
    "isdlc 'do something else'",
    "git commit -am x",
    "git push origin main",
    "git branch -D main",
    "git stash",
    "claude -p /isdlc:continue",
    "tmux send-keys -t 0 '/isdlc:continue' Enter",
    "tmux send-keys -t 0 C-m",
  ])("are refused: %s", (command) => expect(shell(command)).not.toBeNull());

  test("are those that the catalog does not mark for reading or session work", () => {
    const startedByProduct = ["hook", "mcp"];
    const allowed = verbs
      .filter(({ kind, name }) => (kind === "read" || kind === "work") && !startedByProduct.includes(name))
      .map(({ name }) => name);
    expect([...SESSION_VERBS].toSorted()).toEqual(allowed.toSorted());
  });
});

describe("writes of a phase", () => {
  test.each<[string, string, Partial<Marker>]>([
    ["code in a document phase", "src/a.ts", {}],
    ["a document of a later phase", `${item}/design.md`, {}],
    ["a different item", "docs/requirements/REQ-0002-x/a.md", {}],
    ["code in a test phase", "src/a.ts", { writes: "tests" }],
    [
      "any file at an open gate",
      `${item}/requirements-spec.md`,
      { wait: "01-requirements#1/gate-9", writes: "nothing" },
    ],
    ["any file between phases", `${item}/requirements-spec.md`, { writes: "nothing" }],
  ])("are refused for %s", (_what, path, change) => {
    const refused = tool("Write", { file_path: path }, change);
    expect(refused).toMatch(/report|until they answer|begin|only below|tests/);
    expect(shell(`echo x > ${path}`, change)).toBe(refused);
    expect(shell(`touch ${path}`, change)).toBe(refused);
    expect(shell(`mkdir -p "$(dirname '${path}')" && echo x > ${path}`, change)).toBe(refused);
  });

  test.each<[string, Partial<Marker>]>([
    [`${item}/requirements-spec.md`, {}],
    [`${item}/notes/a.md`, {}],
    ["test/a.test.ts", { writes: "tests" }],
    ["src/new/deep.ts", { writes: "tree" }],
    [".gitignore", { writes: "tree" }],
    ["../outside.txt", {}],
  ])("are allowed for %s %j", (path, change) => {
    expect(tool("Write", { file_path: path }, change)).toBeNull();
    expect(shell(`echo x > ${path}`, change)).toBeNull();
    expect(shell(`mkdir -p "$(dirname '${path}')" && echo x > ${path}`, change)).toBeNull();
  });

  test("are refused for an unreadable run, unlike reads", () => {
    expect(tool("Write", { file_path: "src/a.ts" }, null)).toContain("isdlc doctor");
    expect(shell("cat src/a.ts", null)).toBeNull();
  });

  test("are allowed in the run's folder in .isdlc, but nowhere else in it", () => {
    const work = { item: ".isdlc/work/20261116-010000000-aaaa" };
    expect(tool("Write", { file_path: `${work.item}/plan.md` }, work)).toBeNull();
    expect(shell(`cat > ${work.item}/plan.md <<'EOF'\n# Plan\nEOF`, work)).toBeNull();
    expect(tool("Write", { file_path: ".isdlc/state.json" }, work)).not.toBeNull();
    expect(tool("Write", { file_path: `${work.item}/../../state.json` }, work)).not.toBeNull();
  });
});

describe("harmless calls", () => {
  test.each([
    "ls -la .isdlc",
    "cat .isdlc/reviews/phase-01-summary.md",
    "grep -r login src .isdlc/reviews",
    "git status",
    "git diff HEAD -- src",
    "git log --oneline -5",
    "git branch --show-current",
    "isdlc status --json",
    "isdlc begin",
    "isdlc report --nonce abc --summary 'done; the person can continue now'",
    "npm test 2>&1 | tail -20",
    "node --test test/",
    "echo 'run isdlc continue to go on'",
    "grep -n 'git commit' README.md",
    "cat <<'EOF' > /tmp/note\nisdlc continue\nrm -rf .isdlc\nEOF",
    "ls > /dev/null 2>&1",
    "for f in src/*; do wc -l $f; done",
    "tmux ls",
    'echo "a > b"',
    'echo "$(date) > .isdlc/state.json"',
    "(cd src && ls); case $x in a) ls ;; *) pwd ;; esac",
    "cat .gitignore",
  ])("are allowed: %s", (command) => expect(shell(command)).toBeNull());

  test.each(["Read", "Grep", "Glob", "Task", "WebFetch"])("are allowed for %s with any path", (name) =>
    expect(tool(name, { file_path: ".isdlc/state.json", path: ".isdlc" })).toBeNull(),
  );
});

describe("session that stops during a phase", () => {
  const stop = (change: Partial<Marker>, more: Readonly<Record<string, unknown>> = {}) =>
    answerEvent(situation(change), { hook_event_name: "Stop", session_id: "s1", ...more }).out;
  test("is stopped once with the missing artifacts", () => {
    expect(stop({})).toMatchObject({ decision: "block", reason: expect.stringContaining("requirements-spec.md") });
    expect(stop({}, { stop_hook_active: true })).toBeNull();
    expect(stop({ session: "process-1" })).not.toBeNull();
    expect(stop({ session: "process-2" })).toBeNull(); // the phase belongs to another session
  });
  test("may stop if it has no work to do", () => {
    expect(stop({ wait: "gate" })).toBeNull();
    expect(stop({ session: null })).toBeNull();
    expect(stop({ session: "another" })).toBeNull();
  });
});

test("blocks changed settings during a run", () => {
  const answer = answerEvent(situation(), { hook_event_name: "ConfigChange", source: "project_settings" });
  expect(answer.out).toMatchObject({ decision: "block" });
});

test("refuses in the format of each product", () => {
  const input = { tool_name: "write_file", tool_input: { file_path: ".isdlc/x" } };
  expect(answerEvent(situation(), { hook_event_name: "BeforeTool", ...input }).out).toMatchObject({ decision: "deny" });
  expect(answerEvent(situation(), { hook_event_name: "PreToolUse", ...input }).out).toMatchObject({
    hookSpecificOutput: { permissionDecision: "deny" },
  });
});
