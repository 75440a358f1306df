import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atFirstGate, atHome, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

describe.skipIf(!hasTmux())("editing at a terminal", () => {
  test("opens artifacts in $EDITOR on e and shows the edits before they count", async () => {
    const { terminal, sandbox } = await atHome();
    const editor = join(sandbox.base, "editor");
    writeFileSync(editor, '#!/bin/sh\necho "Say it twice." >> "$2"\n', { mode: 0o755 });
    terminal.type(`EDITOR="${editor} -w" isdlc "add greeting" --supervised`);
    await terminal.shows(PROMPT);
    terminal.press("e");
    await terminal.shows(
      /Edited\. Continue shows your changes before it accepts them\.\nYour choice \(C R D V E T Q\):/,
    );
    terminal.press("Enter");
    await terminal.shows("Unknown key. Press one of C R D V E T Q.");
    terminal.press("c");
    await terminal.shows(
      /changed after the summary[^]*- .*plan\.md \(modified\)\n[^]*Your choice \(C R D V (?:S )?E T Q\):/i,
    );
    terminal.press("c");
    await terminal.shows("PHASE COMPLETE: Implementation");
    const item = String((await sandbox.status()).item);
    expect(readFileSync(join(sandbox.root, item, "plan.md"), "utf8")).toMatch(/\nSay it twice\.\n$/);
  });

  test("ends a pause on a typed word, not on Enter alone", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("r");
    await terminal.shows("When ready, say 'continue'");
    terminal.press("Enter");
    await terminal.shows(/Unknown command\. Type continue, redo, review or q\.[^]*or q to leave it paused/);
    terminal.type("continue");
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test("offers the changed files at the gate of the implementation on e", async () => {
    const plan = { turns: { implement: [{ writes: { "src/a.txt": "a\n", "src/b.txt": "b\n" } }] } };
    const { terminal, sandbox } = await atHome({ plan });
    const editor = join(sandbox.base, "editor");
    writeFileSync(editor, '#!/bin/sh\necho "by hand" >> "$1"\n', { mode: 0o755 });
    terminal.type(`EDITOR=${editor} isdlc "add greeting" --review implement; echo "[exit $?]"`);
    await terminal.shows(/PHASE COMPLETE: Implementation[^]*Your choice \(/);
    terminal.press("e");
    expect(await terminal.shows("Which file?")).toMatch(/src\/a\.txt[^]*src\/b\.txt[^]*All [0-9]+ files/);
    terminal.press("Escape");
    await terminal.shows("Your choice (");
  });

  test("reports an editor that cannot be started", async () => {
    const { terminal } = await atFirstGate({ env: { EDITOR: "no-such-editor" } });
    terminal.press("e");
    await terminal.shows(/The editor no-such-editor could not be started; set EDITOR to yours\.\nYour choice/);
  });

  test("accepts multi-line paste as one answer and opens it in the editor on Ctrl-G", async () => {
    const { terminal, sandbox } = await atHome();
    const editor = join(sandbox.base, "editor");
    writeFileSync(editor, '#!/bin/sh\necho "Third line." >> "$1"\n', { mode: 0o755 });
    terminal.type(`EDITOR=${editor} isdlc "add greeting" --supervised; echo "[exit $?]"`);
    await terminal.shows(PROMPT);
    terminal.press("d");
    await terminal.shows("additional guidance");
    terminal.paste("First line.\ncontinue\n");
    await terminal.shows("First line.↵continue↵");
    terminal.press("C-g");
    await terminal.shows("First line.↵continue↵Third line.");
    terminal.press("Enter");
    await terminal.shows(/PHASE COMPLETE: Plan[^]*Your choice \(/);
    expect(sandbox.log().at(-1)?.prompt).toContain("REDO GUIDANCE: First line.\ncontinue\nThird line.");
    expect((await sandbox.status()).waiting.id).toMatch(/^plan#2\//);
  });

  test("keeps files edited before a redo and lists them for the agent", async () => {
    const plan = { turns: { plan: [{}, { artifacts: false }] } };
    const { terminal, sandbox } = await atHome({ plan });
    const editor = join(sandbox.base, "editor");
    writeFileSync(editor, '#!/bin/sh\necho "By hand." >> "$1"\n', { mode: 0o755 });
    terminal.type(`EDITOR=${editor} isdlc "add greeting" --supervised; echo "[exit $?]"`);
    await terminal.shows(PROMPT);
    terminal.press("e");
    await terminal.shows(/Edited\. Continue shows your changes before it accepts them\.\nYour choice/);
    terminal.press("d");
    await terminal.shows("additional guidance");
    terminal.type("more");
    await terminal.shows(/PHASE COMPLETE: Plan[^]*Your choice \(/);
    const { item } = await sandbox.status();
    expect(sandbox.log().at(-1)?.prompt).toContain(`Keep every edit of the user:\n- "${item}/plan.md"`);
    expect(sandbox.read(`${item}/plan.md`)).toContain("By hand.");
  });
});
