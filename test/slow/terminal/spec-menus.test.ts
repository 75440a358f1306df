import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  BRANCH,
  FEATURE,
  FOLDER,
  keptWith,
  killWhen,
  metaAt,
  readMeta,
  prepareFeature,
  refuses,
  worktreePath,
} from "../flows/spec-cli/prepared-feature.ts";
import { atHome, type Home } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const PARTIAL = "Your choice (C F R, Enter for C):";
const HALF = "# half a design\n";

/** Opens the menu for a design whose program was killed halfway. */
async function atPartialMenu(): Promise<Home> {
  const home = await atHome();
  const { sandbox, terminal } = home;
  prepareFeature(sandbox, "specify");
  sandbox.plan({ turns: { design: [{ artifacts: false, writes: { "{item}/design.md": HALF }, hangs: true }, {}] } });
  const design = join(sandbox.root, FEATURE, "design.md");
  await killWhen(sandbox, ["design"], () => existsSync(design) && readFileSync(design, "utf8") === HALF);
  sandbox.plan({ turns: { design: [{}, { reads: ["{item}/design.md"] }] } });
  terminal.isdlc("design");
  await terminal.shows(PARTIAL);
  return home;
}

/** Document that the design's second execution found. */
const foundBy = ({ sandbox }: Home): unknown[] =>
  Object.values(sandbox.log().filter(({ key }) => key === "design")[1]?.reads ?? {});

/** Opens the finish question of a feature with an open finding. */
async function atFinishMenu(): Promise<Home> {
  const home = await atHome({ plan: { turns: { "finish reviewer": [refuses("R7 is not implemented.")] } } });
  prepareFeature(home.sandbox, "verify", { files: { [`${FEATURE}/tasks.md`]: "- [x] T1\n" } });
  home.terminal.isdlc("finish");
  await home.terminal.shows("What should happen?");
  return home;
}

describe.skipIf(!hasTmux())("skipped spec phase at a terminal", () => {
  test("warns about skipped phases, writes nothing after no and continues after yes [SPEC-AC5]", async () => {
    const { sandbox, terminal } = await atHome();
    prepareFeature(sandbox, "brainstorm");
    terminal.isdlc("design");
    const asked = await terminal.shows("Continue anyway?");
    expect(asked).toContain("warning: Skipped before design: specify.");
    terminal.press("n");
    expect(await terminal.exitCode()).toBe(3);
    expect([sandbox.log(), sandbox.git("status", "--porcelain")]).toEqual([[], ""]);
    terminal.isdlc("design");
    await terminal.shows("Continue anyway?");
    terminal.press("y");
    expect(await terminal.exitCode()).toBe(0);
    expect(readMeta(sandbox)).toMatchObject({ currentPhase: "design" });
  });
});

describe.skipIf(!hasTmux())("interrupted design at a terminal", () => {
  test("shows the partial design on Review and keeps it on Continue [SPEC-AC14, SPEC-R7.2]", async () => {
    const home = await atPartialMenu();
    expect(home.terminal.screen()).toMatch(/\[C\] Continue[^]*\[F\] Fresh[^]*\[R\] Review/);
    home.terminal.press("r");
    expect(await home.terminal.shows(/half a design[^]*Your choice \(C F R, Enter for C\):/)).toContain(
      "# half a design",
    );
    home.terminal.press("c");
    expect(await home.terminal.exitCode()).toBe(0);
    expect(foundBy(home)).toEqual([HALF]);
  });

  test("starts again without the partial design on Fresh, and saves it under a ref [SPEC-AC14, SPEC-R7.2]", async () => {
    const home = await atPartialMenu();
    home.terminal.press("f");
    expect(await home.terminal.exitCode()).toBe(0);
    expect(foundBy(home)).toEqual([null]);
    expect(keptWith(home.sandbox, `${FEATURE}/design.md`, "half a design")).not.toEqual([]);
  });
});

describe.skipIf(!hasTmux())("end of a feature at a terminal", () => {
  test("lists open findings above the menu and completes the feature on Merge [SPEC-AC15, SPEC-AC19]", async () => {
    const { sandbox, terminal } = await atFinishMenu();
    expect(terminal.screen()).toMatch(
      /Concerns left open:\n {2}Finish: F1: R7 is not implemented\.[^]*All phases are done\. Merge, open/,
    );
    expect(terminal.screen()).toMatch(/Merge --[^]*Pull request --[^]*Keep --[^]*Discard --/);
    terminal.press("Down", "Enter");
    expect(await terminal.exitCode()).toBe(0);
    expect([readMeta(sandbox).status, sandbox.git("branch", "--list")]).toEqual(["completed", "* main"]);
  });

  test("confirms Discard with no as the default [SPEC-AC16]", async () => {
    const { sandbox, terminal } = await atFinishMenu();
    terminal.press("Down", "Down", "Down", "Down", "Down", "Enter");
    await terminal.shows("Discard this work?");
    terminal.press("Enter");
    expect(await terminal.exitCode()).toBe(3);
    expect(readMeta(sandbox).status).toBe("active");
    terminal.isdlc("finish");
    await terminal.shows("What should happen?");
    terminal.press("Down", "Down", "Down", "Down", "Down", "Enter");
    await terminal.shows("Discard this work?");
    terminal.press("y");
    expect(await terminal.exitCode()).toBe(0);
    const ref = /kept on\s(refs\/\S+?)\.?\s/.exec(terminal.screen())?.[1] ?? "";
    expect(metaAt(sandbox, ref).status).toBe("abandoned");
    expect(sandbox.git("branch", "--list")).toBe("* main");
  });
});

describe.skipIf(!hasTmux())("worktree question at a terminal", () => {
  test.each([
    { key: "y", own: true },
    { key: "n", own: false },
  ])("offers a separate worktree in standard mode; $key creates one: $own", async ({ key, own }) => {
    const { sandbox, terminal } = await atHome();
    terminal.isdlc('brainstorm "Login page"');
    await terminal.shows("Use a separate worktree?");
    expect(existsSync(worktreePath(sandbox))).toBe(false);
    terminal.press(key);
    expect(await terminal.exitCode()).toBe(0);
    expect(existsSync(worktreePath(sandbox))).toBe(own);
    expect(sandbox.git("branch", "--show-current")).toBe(own ? "main" : BRANCH);
    const meta = readMeta(sandbox, own ? join("..", `tree-${FOLDER}`, FEATURE) : FEATURE);
    expect(meta.worktree).toBe(own ? `../tree-${FOLDER}` : null);
  });
});

describe.skipIf(!hasTmux())("pull request at a terminal", () => {
  const opened = { gh: /gh pr create --base main/, glab: /glab mr create --target-branch main/ };

  test.each([
    ["gh", "n"],
    ["gh", "y"],
    ["glab", "y"],
  ] as const)("shows the commands of %s, and runs them only after yes: %s", async (tool, answer) => {
    const { sandbox, terminal } = await atFinishMenu();
    const [bin, notes] = [join(sandbox.base, "own-bin"), join(sandbox.base, "notes.txt")];
    mkdirSync(bin);
    writeFileSync(join(bin, tool), `#!/bin/sh\necho "${tool} $*" >> ${notes}\n`, { mode: 0o755 });
    sandbox.git("init", "--quiet", "--bare", "../origin.git");
    sandbox.git("remote", "add", "origin", "../origin.git");
    terminal.press("C-c");
    await terminal.exitCode();
    terminal.type(`PATH=${bin}:$PATH isdlc; echo "[exit $?]"`);
    await terminal.shows("What should happen?");
    terminal.press("Down", "Down", "Down", "Enter");
    expect((await terminal.shows("Run these now?")).replaceAll(/\n\s*/g, " ")).toMatch(opened[tool]);
    terminal.press(answer);
    expect(await terminal.exitCode()).toBe(0);
    const isOpened = existsSync(notes) && opened[tool].test(readFileSync(notes, "utf8"));
    const isPushed = sandbox.git("ls-remote", "--heads", "origin").includes(BRANCH);
    expect([isOpened, isPushed]).toEqual([answer === "y", answer === "y"]);
    expect(metaAt(sandbox, BRANCH).status).toBe("completed");
  });
});
