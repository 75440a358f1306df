import { expect, test } from "vitest";
import { prepareItem, readySandbox } from "./prepared-item.ts";

const impact = (files: readonly string[]): string =>
  `| File | Change |\n|------|--------|\n${files.map((file) => `| \`${file}\` | MODIFY |`).join("\n")}\n`;

test.concurrent.each([
  { cited: ["src/elsewhere.ts"], told: "The code changed since the analysis, but nowhere it looked at." },
  { cited: ["src/a.txt", "src/b.txt"], told: "1 file of this analysis has changed since it was made:\n  - src/a.txt" },
])(
  "prints both hashes and the count if the code changed: $told [BUILD-AC-004-02, BUILD-US-004-01]",
  async ({ cited, told }) => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox);
    sandbox.write(`${item}/impact-analysis.md`, impact(cited));
    const before = sandbox.git("rev-parse", "--short=7", "HEAD");
    for (const text of ["one", "two"]) {
      sandbox.write("src/a.txt", text);
      sandbox.git("add", "src");
      sandbox.git("commit", "--quiet", "--message", text);
    }
    const { stderr } = await sandbox.script("build", "login", ...sandbox.agent);
    const now = sandbox.git("rev-parse", "--short=7", "HEAD");
    expect(stderr).toContain(
      `Analysis was performed at commit ${before} (2 commits ago).\nCurrent HEAD is ${now}.\n${told}`,
    );
  },
);

test.concurrent("asks about a stale analysis if most of its few cited files changed", async () => {
  const sandbox = await readySandbox();
  const item = prepareItem(sandbox);
  sandbox.write(`${item}/impact-analysis.md`, impact(["src/a.txt"]));
  sandbox.write("src/a.txt", "one");
  sandbox.git("add", "src");
  sandbox.git("commit", "--quiet", "--message", "one");
  const asked = await sandbox.script("build", "login", ...sandbox.agent);
  expect(asked.code).toBe(3);
  expect(asked.stdout).toContain("1 file of this analysis has changed since it was made:\n  - src/a.txt\n");
  expect(asked.stdout).toContain("--on-stale proceed, --on-stale rescan or --on-stale reanalyze");
});

test.concurrent.each([[{}], ["00-quick-scan"], [7], [null]])(
  "warns that phases_completed is not a list (%j), and starts at the first phase [BUILD-NFR-004]",
  async (list) => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { more: { phases_completed: list } });
    const built = await sandbox.script("build", "login", "--supervised", ...sandbox.agent);
    expect(built.stderr).toContain("warning: phases_completed is not an array");
    expect(built.stderr).toContain("Analysis Status: Not analyzed");
    expect((await sandbox.status()).current).toBe("00-quick-scan");
  },
);
