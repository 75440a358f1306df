import { describe, expect, test } from "vitest";
import { atFirstGate, atHome } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const manifest = (scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  "package.json": JSON.stringify({ name: "sample", scripts }),
});
const README = ["# Sample", "", "first", "second", "third", "fourth", "fifth", ""].join("\n");

describe.skipIf(!hasTmux())("evidence at a terminal", () => {
  test("escapes control codes in trusted scripts, and trusts nothing on Enter alone", async () => {
    const scripts = {
      pretest: "node build.js \u001B[8m&& hidden\u001B[0m",
      test: "node --test",
      posttest: "echo done",
    };
    const { terminal, sandbox } = await atHome({ files: manifest(scripts) });
    terminal.isdlc('"add greeting"');
    const asked = await terminal.shows("Your choice (Y A N):");
    expect(asked).toContain("scripts.pretest:\n  node build.js ␛[8m&& hidden␛[0m\nscripts.test:\n  node --test\n");
    expect(asked).toContain("scripts.posttest:\n  echo done\n");
    terminal.press("Enter");
    await terminal.shows("Unknown key. Press one of Y A N.");
    terminal.press("q");
    expect(await terminal.shows("[exit 3]")).toContain("Nothing was started.");
    expect(sandbox.log()).toEqual([]);
  });

  test("reports failing tests and the choices before any agent starts", async () => {
    const files = manifest({ test: "node -e 'process.exit(1)'" });
    const { terminal, sandbox } = await atHome({ files });
    terminal.isdlc('"add greeting" --tests trust');
    const asked = await terminal.shows("What should happen?");
    expect(asked).toContain("The tests already fail on the current code:");
    expect(asked).toMatch(/Run the tests again --[^]*Continue anyway -- known failures are ignored[^]*Skip tests --/);
    expect(sandbox.log()).toEqual([]);
    terminal.press("Down", "Down", "Enter"); // from the last line to the second
    await terminal.shows("PHASE COMPLETE: Final Review");
  });

  test("escalates an agent that changes no code in two executions", async () => {
    const { terminal, sandbox } = await atHome({ plan: { turns: { implement: [{ writes: {} }] } } });
    terminal.isdlc('"add greeting"');
    const asked = await terminal.shows("What should happen?");
    expect(asked).toContain("Phase Implementation: the agent changed no code, although this phase has to");
    expect(sandbox.log().filter(({ key }) => key === "implement")).toHaveLength(2);
  });

  test("asks about user edits that overlap with the agent's changes", async () => {
    const mine = README.replace("first", "mine");
    const writes = { "README.md": mine.replace("mine", "the agent's") };
    const { terminal, sandbox } = await atHome({
      files: { "README.md": README },
      plan: { turns: { implement: [{ writes }] } },
    });
    sandbox.write("README.md", mine);
    terminal.isdlc('"add greeting" --allow-dirty');
    const asked = await terminal.shows("What should happen?");
    expect(asked).toMatch(/your uncommitted changes overlap with the agent's in these\sfiles:\n {2}README\.md/);
    expect(asked).toMatch(/Look again --[^]*Commit together --/);
  });

  test("merges the agent's lines of a file and keeps the user's edit uncommitted", async () => {
    const mine = README.replace("first", "mine, not committed");
    const writes = { "README.md": mine.replace("fifth", "the agent's") };
    const { terminal, sandbox } = await atHome({
      files: { "README.md": README },
      plan: { turns: { implement: [{ writes }] } },
    });
    sandbox.write("README.md", mine);
    terminal.isdlc('"add greeting" --allow-dirty');
    await terminal.shows("Your choice (");
    terminal.press("c");
    await terminal.shows("Merge, open a pull request, or keep the branch?");
    terminal.press("Down", "Enter"); // from the last line to the first
    expect(await terminal.exitCode()).toBe(0);
    expect(sandbox.git("branch", "--show-current")).toBe("main");
    expect(sandbox.git("show", "main:README.md")).toBe(README.replace("fifth", "the agent's").trim());
    expect(sandbox.read("README.md")).toBe(mine.replace("fifth", "the agent's"));
    expect(sandbox.git("log", "--branches", "--patch", "--", "README.md")).not.toContain("mine, not committed");
  });

  test("reports a detached HEAD before it merges", async () => {
    const { terminal, sandbox } = await atHome();
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (");
    terminal.press("c");
    await terminal.shows("Merge, open a pull request, or keep the branch?");
    const main = sandbox.git("rev-parse", "main");
    sandbox.git("switch", "--quiet", "--detach");
    terminal.press("Down", "Enter");
    const again = await terminal.shows("HEAD is no longer on change/add-greeting");
    expect(again).toMatch(/it is detached at [0-9a-f]{12}/);
    expect(sandbox.git("rev-parse", "main")).toBe(main);
  });

  test("lists the agent's uncommitted files on cancel and removes them after yes", async () => {
    const plan = { turns: { implement: [{ writes: { "new.js": "1\n" } }] } };
    const { terminal, sandbox } = await atFirstGate({ plan });
    terminal.press("c");
    await terminal.shows("PHASE COMPLETE: Implementation");
    terminal.press("q");
    await terminal.exitCode();
    terminal.isdlc('cancel --reason "enough"');
    expect(await terminal.shows("Remove these changes? They stay saved under a git ref.")).toContain("- new.js");
    terminal.press("y");
    expect(await terminal.shows("[exit 0]")).toMatch(
      /Taken out of the working tree:\n {2}- new\.js\nIt is kept: git show refs\/isdlc/,
    );
    expect(() => sandbox.read("new.js")).toThrow("ENOENT");
  });
});
