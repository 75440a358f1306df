import { describe, expect, test } from "vitest";
import { atFirstGate, atHome, PROMPT } from "./at-home.ts";
import { hasTmux, type Terminal } from "./terminal.ts";

const PAUSED = "continue, review again, redo, or q to leave it paused";

describe.skipIf(!hasTmux())("answers at a terminal", () => {
  test("shows the summary and how to continue after Review [SM-AC-04a]", async () => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("r");
    const seen = await terminal.shows(PAUSED);
    expect(seen).toMatch(/Phase Summary: Plan\n=+\n[^]*Key Decisions\n+- plan decided\n/);
    expect(seen).toContain("When ready, say 'continue' to advance to the next phase.");
    expect(sandbox.json(".isdlc/state.json").active_workflow.supervised_review.status).toBe("reviewing");
  });

  test.each(["c", "continue", "done", "yes", "OK"])('continues after Review on "%s"', async (word) => {
    const { terminal } = await atFirstGate();
    terminal.press("r");
    await terminal.shows(PAUSED);
    terminal.type(word);
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test.each(["perhaps", ""])('asks again after Review on "%s", and stays paused on q', async (word) => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("r");
    await terminal.shows(PAUSED);
    terminal.type(word);
    await terminal.shows(new RegExp(`Unknown command\\. Type continue, redo, review or q\\.[^]*${PAUSED}`));
    terminal.type("q");
    expect(await terminal.exitCode()).toBe(3);
    expect(await sandbox.status()).toMatchObject({ status: "waiting", waiting: { kind: "gate", paused: true } });
    expect(sandbox.json(".isdlc/state.json").active_workflow.supervised_review.status).toBe("reviewing");
  });

  test("passes redo guidance to the agent, and removes Redo after three [SM-AC-05a, SM-AC-05d]", async () => {
    const { terminal, sandbox } = await atFirstGate();
    for (const guidance of ["be shorter", "be bolder", "be clearer"]) {
      terminal.press("d");
      await terminal.shows(/What additional guidance should this phase consider\?\s+\(Describe what to change/);
      terminal.type(guidance);
      await terminal.shows(/PHASE COMPLETE: Plan[^]*Your choice \(/);
    }
    expect(terminal.screen()).not.toContain("Redo");
    expect(terminal.screen()).toContain("All 3 redos of this phase are used up");
    expect(terminal.screen()).toContain("Your choice (C R V S E T Q):");
    terminal.press("d");
    await terminal.shows("Unknown key. Press one of C R V S E T Q.");
    terminal.press("q");
    await terminal.exitCode();
    const prompts = sandbox.log().map(({ prompt }) => /REDO GUIDANCE: (.*)/.exec(prompt)?.[1]);
    expect(prompts).toEqual([undefined, "be shorter", "be bolder", "be clearer"]);
  });

  test("asks the agent's questions one after the other", async () => {
    const questions = [
      { id: "tone", text: "Which tone?", choices: ["warm", "cold"] },
      { id: "name", text: "Whose name?" },
    ];
    const plan = { turns: { plan: [{ result: { status: "needs_input", summary: "?", questions } }, {}] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --supervised');
    const seen = await terminal.shows(/Which tone\?[^]*warm[^]*cold[^]*Something else/);
    expect(seen).toContain("The agent of phase Plan asks 2 questions:");
    terminal.press("Down", "Enter");
    await terminal.shows("Whose name?");
    terminal.type("");
    await terminal.shows(PROMPT);
    const prompt = sandbox.log().at(-1)?.prompt;
    expect(prompt).toMatch(/Which tone\?\n {2}cold\n/);
    expect(prompt).toMatch(/Whose name\?\n {2}\(the person leaves this to you\)/);
  });

  test("accepts free text for a question with choices, and returns to them on Esc", async () => {
    const questions = [{ id: "tone", text: "Which tone?", choices: ["warm", "cold"] }];
    const plan = { turns: { plan: [{ result: { status: "needs_input", summary: "?", questions } }, {}] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("Something else");
    terminal.press("Up", "Enter");
    await terminal.shows("Ctrl-G opens your editor");
    terminal.press("Escape");
    await terminal.shows("Something else");
    terminal.press("Up", "Enter");
    await terminal.shows("Ctrl-G opens your editor");
    terminal.type("wry");
    await terminal.shows(PROMPT);
    expect(sandbox.log().at(-1)?.prompt).toMatch(/Which tone\?\n {2}wry$/);
  });

  test("returns from the guidance on Esc, and confirms a redo without guidance", async () => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("d");
    await terminal.shows("What additional guidance");
    terminal.press("Escape");
    await terminal.shows(PROMPT);
    terminal.press("d");
    await terminal.shows("What additional guidance");
    terminal.press("Enter");
    await terminal.shows("Redo without any guidance? It counts: it would be redo 1 of 3.");
    terminal.press("Enter");
    await terminal.shows(/without any guidance\?[^]*What additional guidance/);
    terminal.press("Escape");
    await terminal.shows(PROMPT);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect((await sandbox.status()).phases[0]).toMatchObject({ redos: 0, attempt: 1 });
  });

  test("lists safe answers first and can show the diff if the test command changed", async () => {
    const manifest = (script: string): string => JSON.stringify({ name: "sample", scripts: { test: script } });
    const plan = { turns: { implement: [{ writes: { "package.json": manifest("echo passed") } }, {}] } };
    const files = { "package.json": manifest("node -e 0") };
    const { terminal, sandbox } = await atHome({ plan, files, env: { PAGER: "" } });
    terminal.isdlc('"add greeting" --tests trust');
    const menu = await terminal.shows("Decide later (the run stays paused)");
    expect(menu).toMatch(
      /Trusted: npm test \(package\.json: node -e 0\)\n +Tests would be run with: npm test \(package\.json: echo passed\)\n +scripts\.test:\n +echo passed/,
    );
    expect(menu).toMatch(/Retry --[^]*Skip --[^]*Accept --[^]*Look --/);
    terminal.press("Up", "Enter");
    expect(await terminal.shows(/\+\{"name":[^]*Decide later \(the run stays paused\)/)).toContain("echo passed");
    terminal.press("Down", "Enter");
    await terminal.shows("Implementation, attempt 2");
    expect((await sandbox.events()).some(({ type }) => type === "tests.accepted")).toBe(false);
  });

  test("keeps replies after Ctrl-C and asks only the remaining questions", async () => {
    const questions = ["tone", "name"].map((id) => ({ id, text: `Which ${id}?`, choices: [] }));
    const plan = { turns: { plan: [{ result: { status: "needs_input", summary: "?", questions } }, {}] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("Which tone?");
    terminal.type("warm");
    await terminal.shows("Which name?");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen()).toContain('1 reply kept; "isdlc" asks only what is left.');
    terminal.isdlc();
    await terminal.shows(/Which tone\?\n {2}You replied: warm\n[^]*Which name\?/);
    terminal.type("Ada");
    await terminal.shows(PROMPT);
    const prompt = sandbox.log().at(-1)?.prompt;
    expect(prompt).toMatch(/Which tone\?\n {2}warm\n- Which name\?\n {2}Ada/);
  });

  test("keeps a question open after Ctrl-C", async () => {
    const questions = [{ id: "tone", text: "Which tone?", choices: [] }];
    const plan = { turns: { plan: [{ result: { status: "needs_input", summary: "?", questions } }, {}] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Which tone?");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen()).toContain("isdlc answer --reply <id>=<text>");
    expect((await sandbox.status()).waiting.kind).toBe("questions");
  });

  test("shows the reason of a failed phase, then Retry, Skip and Cancel", async () => {
    const failed = { result: { status: "failed", summary: "The sources are missing." } };
    const plan = { turns: { plan: [failed, {}] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --supervised');
    const menu = await terminal.shows("Decide later (the run stays paused)");
    expect(menu).toContain("The sources are missing.");
    expect(menu).toMatch(/Retry -- try again[^]*Cancel -- end the run/);
    terminal.press("Enter"); // Enter alone does not decide
    expect(await terminal.exitCode()).toBe(3);
    terminal.isdlc();
    expect(
      (await terminal.shows("Decide later (the run stays paused)")).split("The sources are missing."),
    ).toHaveLength(2);
    terminal.press("Down", "Enter");
    await terminal.shows(PROMPT);
    expect((await sandbox.status()).phases[0]).toMatchObject({ key: "plan", status: "completed" });
  });

  test("cancels the run with a reason from the escalation menu", async () => {
    const plan = { always: { result: { status: "failed", summary: "No." } } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Decide later (the run stays paused)");
    terminal.press("Up", "Enter");
    await terminal.shows("Why does the run end?");
    terminal.type("not worth it");
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen()).toContain("Cancelled: add greeting");
    expect((await sandbox.events()).at(-1)).toMatchObject({ type: "run.cancelled", reason: "not worth it" });
  });

  test("reports relaxed settings at the next gate and applies them on key l", async () => {
    const { terminal, sandbox } = await atFirstGate();
    const state = sandbox.json(".isdlc/state.json");
    state.supervised_mode.enabled = false;
    sandbox.write(".isdlc/state.json", JSON.stringify(state));
    terminal.press("c");
    const gate = await terminal.shows("Your choice (C R D L V E T Q):");
    expect(gate).toContain("PHASE COMPLETE: Implementation");
    expect(gate).toContain("Supervision was loosened: the settings now say no review gates.");
    terminal.press("l");
    await terminal.shows(PROMPT);
    terminal.press("q");
    await terminal.exitCode();
    expect((await sandbox.status()).supervised).toBe(false);
  });

  const finishes = [
    { how: "merge", keys: ["Down", "Enter"], says: /Merged into main as [0-9a-f]{12}\./ },
    { how: "squash", keys: ["Down", "Down", "Enter"], says: /Merged into main as [0-9a-f]{12}\./ },
    { how: "pr", keys: ["Down", "Down", "Down", "Enter"], says: /git push -u origin change\/add-greeting/ },
    { how: "keep", keys: ["Down", "Down", "Down", "Down", "Enter"], says: /The branch change\/add-greeting is kept\./ },
  ];
  test.each(finishes)("ends the run with the chosen finish: $how", async ({ how, keys, says }) => {
    const plan = { turns: { implement: [{ writes: { "greeting.txt": "Hello\n" } }] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (C R D B V E T Q):");
    terminal.press("c");
    await terminal.shows(
      /All phases are done\. Merge, open a pull request, or keep the branch\?[^]*Merge --[^]*Pull request[^]*Keep[^]*Decide later/,
    );
    await press(terminal, keys);
    expect(await terminal.exitCode()).toBe(0);
    expect(terminal.screen()).toMatch(says);
    const merged = sandbox.git("log", "--format=%s", "main").includes("Merge");
    expect(merged).toBe(how === "merge");
    expect(sandbox.git("rev-list", "--count", "main") === "2").toBe(how === "squash");
    const isGone = how === "merge" || how === "squash";
    expect(sandbox.git("branch", "--format=%(refname:short)")).toBe(isGone ? "main" : "change/add-greeting\nmain");
    const place = isGone ? "main" : "change/add-greeting";
    expect(sandbox.git("ls-tree", "--name-only", place, "greeting.txt")).toBe("greeting.txt");
  });
});

/** Presses one key after the other, because the menu moves its marker with each. */
async function press(terminal: Terminal, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    terminal.press(key);
    if (key !== "Enter") await terminal.shows("●");
  }
}
