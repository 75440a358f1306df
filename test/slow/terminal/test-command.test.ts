import { describe, expect, test } from "vitest";
import { atHome } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const SUITE = 'require("node:test").test("works", () => {});\n';
const FILES = {
  "package.json": JSON.stringify({ name: "sample", scripts: { test: "node --test", unit: "node --test unit.js" } }),
  "unit.js": SUITE,
};
const PLAN = { turns: { implement: [{ writes: { "greeting.js": "1\n" } }] } };

describe.skipIf(!hasTmux())("test command question", () => {
  test("ignores Enter and starts nothing on q", async () => {
    const { terminal } = await atHome({ files: FILES, plan: PLAN });
    terminal.isdlc('"add greeting"');
    const asked = await terminal.shows("Your choice (Y A N):");
    expect(asked).toContain("[A] Another command... -- type the command that runs your tests");
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen()).toContain("Nothing was started. To choose in advance: --tests trust, --tests none or");
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (Y A N):");
    terminal.press("Enter");
    await terminal.shows("Unknown key. Press one of Y A N.");
    terminal.press("y");
    await terminal.shows("npm test passed");
  });

  test("accepts another command, saves it for the project and does not ask again", async () => {
    const { sandbox, terminal } = await atHome({ files: FILES, plan: PLAN });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (Y A N):");
    terminal.press("a");
    await terminal.shows("Which command runs the tests?");
    terminal.type("npm run unit | cat");
    await terminal.shows("[H] Run it through a shell -- sh -c 'npm run unit | cat'");
    terminal.press("e");
    await terminal.shows("Which command runs the tests?");
    terminal.type("npm run unit && node --version");
    await terminal.shows("[S] Save as several commands");
    terminal.press("s");
    await terminal.shows("Saved for this project. Change it with: isdlc config set tests");
    await terminal.shows("npm run unit && node --version passed");
    const { stdout } = await sandbox.person("config", "get", "tests");
    expect(stdout).toContain("npm run unit && node --version");
  });

  test("names the missing program and accepts another command", async () => {
    const files = { "tests/test_a.py": "def test(): pass\n", "uv.lock": "", "unit.js": SUITE };
    const { terminal } = await atHome({ files, plan: PLAN });
    terminal.isdlc('"add greeting"');
    const asked = await terminal.shows("Your choice (A W T):");
    expect(asked).toContain("The tests cannot run: uv is not installed.");
    terminal.press("t");
    await terminal.shows("Your choice (A W T):");
    terminal.press("a");
    await terminal.shows("Which command runs the tests?");
    terminal.type("node --test unit.js");
    await terminal.shows("node --test unit.js passed");
  });
});
