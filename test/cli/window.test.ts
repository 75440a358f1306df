import { expect, test } from "vitest";
import { createWindow } from "../../src/apps/cli/terminal/window.ts";
import type { NotifyChoice } from "../../src/schema/user-settings.ts";

const XTERM = { TERM: "xterm-256color" };

function written(
  env: NodeJS.ProcessEnv,
  calling: NotifyChoice,
  use: (window: ReturnType<typeof createWindow>) => void,
) {
  let codes = "";
  use(createWindow(env, calling, (more) => (codes += more)));
  return codes.replaceAll("\u001B", "ESC").replaceAll("\u0007", "BEL");
}

test("the title is kept once, set as often as wanted, and given back", () => {
  const codes = written(XTERM, "on", (window) => {
    window.title("one");
    window.title("two");
    window.restore();
    window.restore();
  });
  expect(codes).toBe("ESC[22;2tESC]2;oneBELESC]2;twoBELESC[23;2t");
});

test("nothing is given back where no title was set", () => {
  expect(written(XTERM, "on", (window) => window.restore())).toBe("");
});

type Call = { who: string; env: NodeJS.ProcessEnv; calling: NotifyChoice; expected: string };
const calls: Call[] = [
  { who: "most terminals", env: XTERM, calling: "on", expected: "ESC]9;doneBELBEL" },
  { who: "GNOME", env: { ...XTERM, VTE_VERSION: "7600" }, calling: "on", expected: "ESC]777;notify;isdlc;doneBELBEL" },
  { who: "rxvt", env: { TERM: "rxvt-unicode" }, calling: "on", expected: "ESC]777;notify;isdlc;doneBELBEL" },
  { who: "whoever wants only the bell", env: XTERM, calling: "bell", expected: "BEL" },
  { who: "whoever wants nothing", env: XTERM, calling: "off", expected: "" },
  { who: "a terminal without a window", env: { TERM: "dumb" }, calling: "on", expected: "BEL" },
  { who: "the console", env: { TERM: "linux" }, calling: "on", expected: "BEL" },
];

test.each(calls)("a call for $who", ({ env, calling, expected }) => {
  expect(written(env, calling, (window) => window.call("done"))).toBe(expected);
});

test("a terminal without a window has no title", () => {
  expect(written({ TERM: "dumb" }, "on", (window) => window.title("x"))).toBe("");
});

test("no text of an agent ends a code or begins another", () => {
  const codes = written(XTERM, "on", (window) => window.call("a\u0007b\u001B]0;c\nd"));
  expect(codes).toBe("ESC]9;a␇b␛]0;c dBELBEL");
});
