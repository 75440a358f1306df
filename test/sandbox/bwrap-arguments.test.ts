import { describe, expect, test } from "vitest";
import { BASE, bwrapArguments, type SandboxPlan } from "../../src/adapters/sandbox/bwrap-arguments.ts";

const nothing: SandboxPlan = {
  hidden: [],
  shown: [],
  emptied: [],
  writable: [],
  locked: [],
  reopened: [],
  masked: [],
  cwd: "/tree",
};
const END = ["--setenv", "GIT_OPTIONAL_LOCKS", "0", "--setenv", "TMPDIR", "/tmp", "--chdir", "/tree", "--"];
const FIRST = ["/bin/sh", "-c", 'exec 3>&2 2>/dev/null; "$0" "$@" 2>&3 3>&-; exit'];

const rows: readonly (readonly [string, Partial<SandboxPlan>, readonly string[]])[] = [
  ["nothing if all may be read", {}, []],
  ["hidden folders, outer ones first", { hidden: ["/home/a", "/tmp"] }, ["--tmpfs", "/tmp", "--tmpfs", "/home/a"]],
  ["paths under another name", { shown: [{ from: "/a/real", at: "/a/link" }] }, ["--ro-bind", "/a/real", "/a/link"]],
  [
    "emptied folders after visible ones",
    { emptied: ["/a/shells"], shown: [{ from: "/a", at: "/a" }] },
    "--ro-bind /a /a --tmpfs /a/shells".split(" "),
  ],
  ["writable paths", { writable: [{ from: "/tree", at: "/tree" }] }, ["--bind", "/tree", "/tree"]],
  [
    "emptied, writable, locked, reopened and masked paths in this order",
    {
      reopened: ["/tree/.isdlc/work/1"],
      masked: ["/state"],
      emptied: ["/tree/own"],
      locked: [{ from: "/tree/.isdlc", at: "/tree/.isdlc" }],
      writable: [{ from: "/tree", at: "/tree" }],
    },
    [
      ..."--tmpfs /tree/own --bind /tree /tree --ro-bind /tree/.isdlc /tree/.isdlc".split(" "),
      ..."--bind /tree/.isdlc/work/1 /tree/.isdlc/work/1".split(" "),
      ..."--tmpfs /state --remount-ro /state".split(" "),
    ],
  ],
];

describe("command line of bubblewrap", () => {
  test.each(rows)("contains %s", (_name, plan, expected) => {
    expect(bwrapArguments({ ...nothing, ...plan })).toEqual([...BASE, ...expected, ...END, ...FIRST]);
  });

  test.each([
    ["a separate process namespace that ends with its parent", ["--unshare-pid", "--die-with-parent"]],
    ["a separate terminal session", ["--new-session"]],
    ["no root capabilities", ["--cap-drop", "ALL"]],
    ["new /proc and few devices", ["--dev", "/dev", "--proc", "/proc"]],
  ])("always contains %s", (_name, expected) => {
    expect(BASE.join(" ")).toContain(expected[0]);
    expect(BASE).toEqual(expect.arrayContaining(expected));
  });

  test("keeps the network", () => {
    expect(BASE.filter((argument) => argument.includes("net") || argument === "--unshare-all")).toEqual([]);
  });
});
