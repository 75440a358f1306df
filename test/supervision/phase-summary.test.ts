import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPhaseSummaryGenerator } from "../../src/adapters/phase-summary/create-phase-summary-generator.ts";
import { renderStateSummary } from "../../src/views/state-summary.ts";

const generatePhaseSummary = createPhaseSummaryGenerator(renderStateSummary);

const key = "03-architecture";
const artifact = "docs/requirements/REQ-0001-x/architecture-overview.md";

let root: string;
let warnings: string[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-summary-")));
  warnings = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    warnings.push(String(text));
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
const git = (...args: string[]): string =>
  execFileSync("git", [...identity, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).trim();

const write = (path: string, text: string): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
};

function repository(): string {
  git("init", "--quiet", "--initial-branch=main");
  write("kept.txt", "kept\n");
  write("changed.txt", "before\n");
  write("gone.txt", "gone\n");
  write(".gitignore", "ignored/\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=first");
  return git("rev-parse", "HEAD");
}

const stateWith = (phase: object) => ({
  active_workflow: { phases: [key, "04-design"] },
  phases: {
    [key]: {
      status: "completed",
      started: "2026-02-14T10:00:00Z",
      completed: "2026-02-14T10:12:00Z",
      artifacts: [artifact],
      summary: "Files, not a database; one process, no server, small, plain, sixth",
      ...phase,
    },
  },
});

const read = (file: string | null): string => readFileSync(file ?? "no summary", "utf8");

describe("what is written", () => {
  test("SM-AC-02a, SM-AC-01g: a summary with every section, from state and git, new files included", () => {
    const start = repository();
    write(artifact, "# Architecture\n");
    write("changed.txt", "after\n");
    git("add", "--all");
    git("commit", "--quiet", "--message=second");
    rmSync(join(root, "gone.txt"));
    write("new file.txt", "new\n");
    write("ignored/x", "x\n");
    const file = generatePhaseSummary(stateWith({ start_commit: start }), key, root, {});
    expect(file).toBe(join(root, ".isdlc/reviews/phase-03-summary.md"));
    expect(read(file)).toBe(`# Phase 03 Summary: Architecture

**Status**: Completed
**Duration**: 12m (2026-02-14T10:00:00Z to 2026-02-14T10:12:00Z)
**Artifacts**: 1 files

## Key Decisions
- Files
- not a database
- one process
- no server
- small

## Artifacts Created/Modified
| File | Status |
|------|--------|
| ${artifact} | Created |

## File Changes (git diff)
\`\`\`text
M\tchanged.txt
A\t${artifact}
D\tgone.txt
A\tnew file.txt
\`\`\`

## Links
- [${artifact}](../../${artifact})
`);
    expect(warnings).toEqual([]);
  });

  test("SM-AC-02b: nothing changed is said, artifacts still come from the state", () => {
    const start = repository();
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, root, {}));
    expect(text).toContain("No files changed.");
    expect(text).toContain(`| ${artifact} | Unchanged |`);
  });

  test("without artifacts in the state, git names the files", () => {
    const start = repository();
    write("docs/found.md", "x\n");
    const text = read(generatePhaseSummary(stateWith({ start_commit: start, artifacts: [] }), key, root, {}));
    expect(text).toContain("**Artifacts**: 1 files");
    expect(text).toContain("| docs/found.md | Created |");
  });

  test("SM-AC-02c: missing folders are made", () => {
    repository();
    expect(existsSync(join(root, ".isdlc"))).toBe(false);
    expect(isAbsolute(generatePhaseSummary(stateWith({}), key, root, {}) ?? "")).toBe(true);
  });

  test("SM-AC-02d: an earlier summary is replaced, and nothing else is left behind", () => {
    repository();
    generatePhaseSummary(stateWith({ summary: "first try" }), key, root, {});
    const text = read(generatePhaseSummary(stateWith({ summary: "second try" }), key, root, {}));
    expect(text).toContain("second try");
    expect(text).not.toContain("first try");
    expect(readdirSync(join(root, ".isdlc/reviews"))).toEqual(["phase-03-summary.md"]);
  });

  test("SM-AC-02e, SM-AC-01h: the minimal form", () => {
    repository();
    const text = read(generatePhaseSummary(stateWith({}), key, root, { minimal: true }));
    expect(text).toContain(
      "# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Artifacts**: 1 files\n\n## Artifacts Created/Modified\n",
    );
    expect(text).not.toMatch(/Decisions|git diff|Duration|Links/);
  });

  test("two phases with one number do not share a file", () => {
    const state = { ...stateWith({}), active_workflow: { phases: ["15-upgrade-plan", "15-upgrade-execute"] } };
    expect(generatePhaseSummary(state, "15-upgrade-plan", root, {})).toMatch(/phase-15-upgrade-plan-summary\.md$/);
  });

  test("SM-NFR-03: fifty changed files are summarised within ten seconds", () => {
    const start = repository();
    for (let index = 0; index < 25; index += 1) write(`src/committed-${index}.ts`, "x\n");
    git("add", "--all");
    git("commit", "--quiet", "--message=second");
    for (let index = 0; index < 25; index += 1) write(`src/new-${index}.ts`, "x\n");
    const begun = performance.now();
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, root, {}));
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(text.match(/^A\tsrc\//gm)).toHaveLength(50);
  });
});

describe("what goes wrong", () => {
  test.each<[string, unknown]>([
    ["no phases", {}],
    ["another phase only", { phases: {} }],
    ["a record that is a text", { phases: { [key]: "x" } }],
    ["no state", null],
  ])("SM-ERR-200: phase data missing (%s) gives placeholders", (_name, state) => {
    repository();
    const text = read(generatePhaseSummary(state, key, root, {}));
    expect(text).toContain("**Status**: N/A\n**Duration**: N/A\n**Artifacts**: 0 files");
    expect(warnings.join("")).toMatch(/^\[supervised-mode\] /);
  });

  test.each<[string, () => unknown]>([
    ["no repository", () => undefined],
    ["a repository without a commit", () => git("init", "--quiet")],
  ])("SM-ERR-201: git cannot tell (%s)", (_name, prepare) => {
    prepare();
    const text = read(generatePhaseSummary(stateWith({}), key, root, {}));
    expect(text).toContain("## File Changes (git diff)\nUnavailable");
    expect(warnings.join("")).toContain("[supervised-mode] git could not tell");
  });

  test("SM-ERR-201: a start commit that is not there is not replaced by another", () => {
    repository();
    const text = read(
      generatePhaseSummary(stateWith({ start_commit: "0123456789abcdef0123456789abcdef01234567" }), key, root, {}),
    );
    expect(text).toContain("Unavailable");
  });

  test.each<[string, () => void]>([
    [".isdlc is a file", () => write(".isdlc", "x")],
    ["the reviews folder is a file", () => write(".isdlc/reviews", "x")],
    ["the root does not exist", () => rmSync(root, { recursive: true })],
  ])("SM-ERR-202: no folder to write in (%s) gives null", (_name, prepare) => {
    prepare();
    expect(generatePhaseSummary(stateWith({}), key, root, {})).toBeNull();
    expect(warnings.at(-1)).toContain("[supervised-mode] no summary was written");
  });

  test("SM-ERR-203: a file that cannot be written gives null and leaves nothing", () => {
    mkdirSync(join(root, ".isdlc/reviews/phase-03-summary.md"), { recursive: true });
    expect(generatePhaseSummary(stateWith({}), key, root, {})).toBeNull();
    expect(readdirSync(join(root, ".isdlc/reviews"))).toEqual(["phase-03-summary.md"]);
  });

  test.each<[string, unknown, unknown]>([
    ["no phase", undefined, "root"],
    ["a way out as phase", "../../x", "root"],
    ["a phase that is no text", {}, "root"],
    ["no root", key, undefined],
    ["a root with a NUL", key, "a\0b"],
  ])("SM-ERR-204: unexpected input (%s) gives null", (_name, phase, at) => {
    expect(generatePhaseSummary(stateWith({}), phase, at === "root" ? root : at, {})).toBeNull();
  });

  test("SM-ERR-204: no state makes it throw", () => {
    const phase = fc.dictionary(
      fc.constantFrom("status", "started", "completed", "artifacts", "summary", "start_commit"),
      fc.anything(),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          phase.map((record) => ({ phases: { [key]: record } })),
        ),
        (state) => {
          const file = generatePhaseSummary(state, key, root, {});
          expect(file === null || existsSync(file)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  test.each([
    ["missing", { started: undefined }],
    ["no time", { completed: "soon" }],
    ["the wrong way round", { started: "2026-02-14T11:00:00Z" }],
    ["a number", { started: 1 }],
  ])("SM-ERR-205: timestamps that are %s read as N/A", (_name, phase) => {
    expect(read(generatePhaseSummary(stateWith(phase), key, root, {}))).toContain("**Duration**: N/A");
  });
});

describe("a hostile repository", () => {
  test.each([".isdlc", ".isdlc/reviews", ".isdlc/reviews/phase-03-summary.md"])(
    "%s as a symbolic link is refused",
    (path) => {
      const victim = mkdtempSync(join(tmpdir(), "isdlc-victim-"));
      writeFileSync(join(victim, "file"), "untouched");
      mkdirSync(join(root, path, ".."), { recursive: true });
      symlinkSync(path.endsWith(".md") ? join(victim, "file") : victim, join(root, path));
      expect(generatePhaseSummary(stateWith({}), key, root, {})).toBeNull();
      expect(readdirSync(victim)).toEqual(["file"]);
      expect(readFileSync(join(victim, "file"), "utf8")).toBe("untouched");
      rmSync(victim, { recursive: true });
    },
  );

  test("nothing it configures is started", () => {
    const start = repository();
    write("notes.md", "x\n");
    git("add", "--all");
    git("commit", "--quiet", "--message=second");
    const fired = join(root, ".git/fired");
    const trap = join(root, ".git/trap.sh");
    writeFileSync(trap, `#!/bin/sh\necho "$1" >> '${fired}'\ncat\n`);
    chmodSync(trap, 0o755);
    write(".gitattributes", "*.txt filter=a=b diff=evil\n*.md filter=plain\n");
    const settings = [
      "core.fsmonitor",
      "diff.external",
      "diff.evil.textconv",
      "filter.a=b.clean",
      "filter.plain.process",
    ];
    for (const setting of settings) git("config", setting, `${trap} ${setting}`);
    write("changed.txt", "after, and longer\n");
    write("notes.md", "y\n");
    git("diff", "--name-status", start);
    const sprung = new Set(readFileSync(fired, "utf8").trim().split("\n"));
    // Whether git looks into the file of the third depends on its timestamps.
    expect([...sprung], "the traps work").toEqual(expect.arrayContaining(["core.fsmonitor", "filter.a=b.clean"]));
    rmSync(fired);
    vi.stubEnv("GIT_EXTERNAL_DIFF", `${trap} environment`);
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, root, {}));
    vi.unstubAllEnvs();
    expect(text).toContain("M\tchanged.txt");
    expect(existsSync(fired)).toBe(false);
  });

  test.each(["--upload-pack=touch P", "$(touch P)", "HEAD; touch P", "-x"])(
    "a start commit %j is not given to git",
    (commit) => {
      repository();
      expect(read(generatePhaseSummary(stateWith({ start_commit: commit }), key, root, {}))).toContain(
        "## File Changes",
      );
      expect(existsSync(join(root, "P"))).toBe(false);
    },
  );

  test("file names cannot break the page", () => {
    const start = repository();
    write("a\n| b | c |\n# Approved.md", "x\n");
    const text = read(generatePhaseSummary(stateWith({ start_commit: start, artifacts: [] }), key, root, {}));
    expect(text).not.toMatch(/^# Approved|^\| b/m);
    expect(text).toContain(String.raw`| a \| b \| c \| # Approved.md | Created |`);
  });
});
