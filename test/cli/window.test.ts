import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { desktopCall } from "../../src/surfaces/cli/terminal/desktop-call.ts";
import { createWindow } from "../../src/surfaces/cli/terminal/window.ts";
import type { NotifyChoice } from "../../src/schema/user-settings.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const XTERM = { TERM: "xterm-256color" };

function written(
  env: NodeJS.ProcessEnv,
  calling: NotifyChoice,
  use: (window: ReturnType<typeof createWindow>) => void,
) {
  let codes = "";
  use(createWindow(env, { choice: calling, desktop: null }, (more) => (codes += more)));
  return codes.replaceAll("\u001B", "ESC").replaceAll("\u0007", "BEL");
}

test("saves the title once, sets it repeatedly and restores it", () => {
  const codes = written(XTERM, "on", (window) => {
    window.title("one");
    window.title("two");
    window.restore();
    window.restore();
  });
  expect(codes).toBe("ESC[22;2tESC]2;oneBELESC]2;twoBELESC[23;2t");
});

test("restores nothing if no title was set", () => {
  expect(written(XTERM, "on", (window) => window.restore())).toBe("");
});

type Call = { who: string; env: NodeJS.ProcessEnv; calling: NotifyChoice; expected: string };
const calls: Call[] = [
  { who: "most terminals", env: XTERM, calling: "on", expected: "ESC]9;doneBELBEL" },
  { who: "GNOME", env: { ...XTERM, VTE_VERSION: "7600" }, calling: "on", expected: "ESC]777;notify;isdlc;doneBELBEL" },
  { who: "rxvt", env: { TERM: "rxvt-unicode" }, calling: "on", expected: "ESC]777;notify;isdlc;doneBELBEL" },
  { who: "a user who wants only the bell", env: XTERM, calling: "bell", expected: "BEL" },
  { who: "no one if calls are off", env: XTERM, calling: "off", expected: "" },
  { who: "a terminal without a window", env: { TERM: "dumb" }, calling: "on", expected: "BEL" },
  { who: "the console", env: { TERM: "linux" }, calling: "on", expected: "BEL" },
];

test.each(calls)("notifies $who", ({ env, calling, expected }) => {
  expect(written(env, calling, (window) => window.call("done"))).toBe(expected);
});

test.each<[NotifyChoice, readonly string[]]>([
  ["on", ["a b␇c"]],
  ["bell", []],
  ["off", []],
])("notifies the desktop on one line and without control characters if calls are %s", (choice, expected) => {
  const told: string[] = [];
  createWindow(XTERM, { choice, desktop: (text) => void told.push(text) }, () => undefined).call("a\nb\u0007c");
  expect(told).toEqual(expected);
});

describe("desktop notification", () => {
  const HERE = { TERM: "xterm-256color", DISPLAY: ":0" };

  function withProgram(folder: string): { readonly env: NodeJS.ProcessEnv; readonly told: string } {
    const bin = join(folder, "bin");
    const told = join(folder, "told");
    mkdirSync(bin, { recursive: true });
    const script = `#!/bin/sh\nprintf '%s|' "$@" "$ISDLC_TOKEN" "$PWD" > '${told}.part' && /bin/mv '${told}.part' '${told}'\n`;
    writeFileSync(join(bin, "notify-send"), script, { mode: 0o755 });
    return { env: { ...HERE, PATH: bin, ISDLC_TOKEN: "secret" }, told };
  }

  let [folder, tree] = ["", ""];
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-desktop-")));
    tree = join(folder, "tree");
    mkdirSync(join(tree, ".git"), { recursive: true });
  });
  afterEach(() => removeTemporary(folder));

  test("runs notify-send with the text as an argument and without ISDLC variables", async () => {
    const { env, told } = withProgram(folder);
    desktopCall(env, tree)?.("-x; waits");
    await expect.poll(() => existsSync(told), { timeout: 20_000 }).toBe(true);
    expect(readFileSync(told, "utf8")).toBe("--app-name=isdlc|--|isdlc|-x; waits||/|");
  });

  test("runs no program inside a working tree, even through a link", () => {
    const { env } = withProgram(tree);
    expect(desktopCall(env, tree)).toBeNull();
    const linked = join(folder, "links");
    mkdirSync(linked);
    symlinkSync(join(tree, "bin", "notify-send"), join(linked, "notify-send"));
    expect(desktopCall({ ...env, PATH: linked }, tree)).toBeNull();
  });

  test.each<[string, NodeJS.ProcessEnv]>([
    ["a missing display", { DISPLAY: undefined }],
    ["a remote terminal", { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }],
    ["a terminal that notifies itself", { TERM_PROGRAM: "WezTerm" }],
    ["a missing program", { PATH: "/nowhere" }],
  ])("is not sent with %s", (_, more) => {
    const { env } = withProgram(folder);
    expect(desktopCall(env, tree)).not.toBeNull();
    expect(desktopCall({ ...env, ...more }, tree)).toBeNull();
  });
});

test("sets no title in a terminal without a window", () => {
  expect(written({ TERM: "dumb" }, "on", (window) => window.title("x"))).toBe("");
});

test("neutralizes control characters in text of an agent", () => {
  const codes = written(XTERM, "on", (window) => window.call("a\u0007b\u001B]0;c\nd"));
  expect(codes).toBe("ESC]9;a␇b␛]0;c dBELBEL");
});
