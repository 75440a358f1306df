import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { generatePhaseSummary, key, read, stateWith, useProject } from "./summary-project.ts";

const project = useProject();

describe("phase summary in a hostile repository", () => {
  test.each([".isdlc", ".isdlc/reviews", ".isdlc/reviews/phase-03-summary.md"])(
    "is refused if %s is a symbolic link",
    (path) => {
      const victim = mkdtempSync(join(tmpdir(), "isdlc-victim-"));
      writeFileSync(join(victim, "file"), "untouched");
      mkdirSync(join(project.root, path, ".."), { recursive: true });
      symlinkSync(path.endsWith(".md") ? join(victim, "file") : victim, join(project.root, path));
      expect(generatePhaseSummary(stateWith({}), key, project.root, {})).toBeNull();
      expect(readdirSync(victim)).toEqual(["file"]);
      expect(readFileSync(join(victim, "file"), "utf8")).toBe("untouched");
      rmSync(victim, { recursive: true });
    },
  );

  test("starts no configured program", () => {
    const start = project.repository();
    project.write("notes.md", "x\n");
    project.git("add", "--all");
    project.git("commit", "--quiet", "--message=second");
    const fired = join(project.root, ".git/fired");
    const trap = join(project.root, ".git/trap.sh");
    writeFileSync(trap, `#!/bin/sh\necho "$1" >> '${fired}'\ncat\n`);
    chmodSync(trap, 0o755);
    project.write(".gitattributes", "*.txt filter=a=b diff=evil\n*.md filter=plain\n");
    const settings = [
      "core.fsmonitor",
      "diff.external",
      "diff.evil.textconv",
      "filter.a=b.clean",
      "filter.plain.process",
    ];
    for (const setting of settings) project.git("config", setting, `${trap} ${setting}`);
    project.write("changed.txt", "after, and longer\n");
    project.write("notes.md", "y\n");
    project.git("diff", "--name-status", start);
    const sprung = new Set(readFileSync(fired, "utf8").trim().split("\n"));
    // Git reads the file of the third filter depending on its timestamps.
    expect([...sprung], "the traps work").toEqual(expect.arrayContaining(["core.fsmonitor", "filter.a=b.clean"]));
    rmSync(fired);
    vi.stubEnv("GIT_EXTERNAL_DIFF", `${trap} environment`);
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, project.root, {}));
    vi.unstubAllEnvs();
    expect(text).toContain("M\tchanged.txt");
    expect(existsSync(fired)).toBe(false);
  });

  test.each(["--upload-pack=touch P", "$(touch P)", "HEAD; touch P", "-x"])(
    "does not pass the start commit %j to git",
    (commit) => {
      project.repository();
      expect(read(generatePhaseSummary(stateWith({ start_commit: commit }), key, project.root, {}))).toContain(
        "## File Changes",
      );
      expect(existsSync(join(project.root, "P"))).toBe(false);
    },
  );

  test("escapes file names", () => {
    const start = project.repository();
    project.write("a\n| b | c |\n# Approved.md", "x\n");
    const text = read(generatePhaseSummary(stateWith({ start_commit: start, artifacts: [] }), key, project.root, {}));
    expect(text).not.toMatch(/^# Approved|^\| b/m);
    expect(text).toContain(String.raw`| a \| b \| c \| # Approved.md | Created |`);
  });
});
