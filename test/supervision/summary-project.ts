import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, vi } from "vitest";
import { createPhaseSummaryGenerator } from "../../src/library/phase-summary/create-phase-summary-generator.ts";
import { renderStateSummary } from "../../src/library/phase-summary/state-summary.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

export type Project = {
  /** A folder for this test alone, initially without a repository. */
  readonly root: string;
  /** Output on standard error, which is not printed. */
  readonly warnings: readonly string[];
  git(...args: string[]): string;
  write(path: string, text: string): void;
  /** Creates a repository of four files and returns its only commit. */
  repository(): string;
};

export const generatePhaseSummary = createPhaseSummaryGenerator(renderStateSummary);

export const key = "03-architecture";
export const artifact = "docs/requirements/REQ-0001-x/architecture-overview.md";

export function useProject(): Project {
  let root = "";
  let warnings: string[] = [];
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
    removeTemporary(root);
  });
  const git = (...args: string[]) => gitIn(root, args);
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return {
    get root() {
      return root;
    },
    get warnings() {
      return warnings;
    },
    git,
    write,
    repository() {
      git("init", "--quiet", "--initial-branch=main");
      write("kept.txt", "kept\n");
      write("changed.txt", "before\n");
      write("gone.txt", "gone\n");
      write(".gitignore", "ignored/\n");
      git("add", "--all");
      git("commit", "--quiet", "--message=first");
      return git("rev-parse", "HEAD");
    },
  };
}

export const stateWith = (phase: object) => ({
  active_workflow: { phases: [key, "04-design"] },
  phases: {
    [key]: {
      status: "completed",
      started: "2026-02-14T10:00:00Z",
      completed: "2026-02-14T10:12:00Z",
      artifacts: [artifact],
      summary: "Files, not a database. One process; no server. Small. Plain. Fifth. Sixth.",
      ...phase,
    },
  },
});

export const read = (file: string | null): string => readFileSync(file ?? "no summary", "utf8");

const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];

function gitIn(folder: string, args: readonly string[]): string {
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).trim();
}
