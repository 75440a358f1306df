import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createFileAnchors } from "../../src/adapters/files/anchors.ts";
import { loadUserKey } from "../../src/adapters/files/user-key.ts";
import { createFaultFiles } from "../support/fault-files.ts";

const RUN = "20261115-101500123-k3f9";
const OTHER = "20261116-101500123-k3f9";
const head = (seq: number) => ({ seq, hash: String(seq % 10).repeat(64) });

let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "isdlc-user-"));
  const made = base;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(base, "tree"));
});
const open = (tree = "tree") => createFileAnchors(join(base, "user"), join(base, tree));
const contentOf = (ending: string): string =>
  join(base, "user", readdirSync(join(base, "user")).find((name) => name.endsWith(ending)) ?? "none");

describe("anchors", () => {
  test("are read by other processes, newest first", () => {
    const anchors = open();
    expect(anchors.read(RUN)).toBeNull();
    anchors.write(RUN, head(1), true);
    anchors.write(RUN, head(2), true);
    expect(open().read(RUN)).toEqual(head(2));
    expect(open().openRun()).toBe(RUN);
    open().write(RUN, head(3), true);
    expect(anchors.read(RUN)).toEqual(head(3));
    anchors.write(RUN, head(4), false);
    expect(open().openRun()).toBeNull();
    expect(open().read(RUN)).toEqual(head(4));
  });

  test("of an earlier run stay when another starts", () => {
    const anchors = open();
    for (const seq of [1, 2, 3]) anchors.write(RUN, head(seq), true);
    anchors.write(OTHER, head(1), true);
    expect(open().read(RUN)).toEqual(head(3));
    expect(open().openRun()).toBe(OTHER);
  });

  test("are reset with a cut journal and removed with an abandoned run", () => {
    const anchors = open();
    for (const seq of [1, 2, 3]) anchors.write(RUN, head(seq), true);
    anchors.write(RUN, head(2), true);
    expect(open().read(RUN)).toEqual(head(2));
    anchors.write(RUN, { seq: 0, hash: "" }, false);
    expect(open().read(RUN)).toBeNull();
    expect(open().openRun()).toBeNull();
  });

  test("are separate for each working tree, by its real path", () => {
    mkdirSync(join(base, "second"));
    symlinkSync(join(base, "tree"), join(base, "alias"));
    open().write(RUN, head(1), true);
    expect(open("second").read(RUN)).toBeNull();
    expect(open("alias").read(RUN)).toEqual(head(1));
  });

  test("are kept for the last 200 runs", () => {
    const anchors = open();
    const run = (number: number): string => `20261115-101500${String(number).padStart(3, "0")}-aaaa`;
    for (let number = 0; number < 210; number++) anchors.write(run(number), head(1), false);
    expect(anchors.read(run(9))).toBeNull();
    expect(anchors.read(run(10))).toEqual(head(1));
    expect(anchors.read(run(209))).toEqual(head(1));
  });

  test.each(["", "{", "null", "[]", '{"path":1}', "[".repeat(100_000), '{"__proto__":{"open":"x"}}'])(
    "are replaced if unreadable (%#)",
    (content) => {
      open().write(RUN, head(1), true);
      writeFileSync(contentOf(".json"), content);
      const anchors = open();
      expect(anchors.read(RUN)).toBeNull();
      anchors.write(RUN, head(5), true);
      expect(open().read(RUN)).toEqual(head(5));
    },
  );

  test("fall back to the previous head if the newest is torn at any byte", () => {
    open().write(RUN, head(1), true);
    open().write(RUN, head(2), true);
    const whole = readFileSync(contentOf(".head"));
    for (let at = 0; at < whole.length - 1; at++) {
      const torn = Buffer.concat([whole.subarray(0, at), Buffer.alloc(whole.length - at)]);
      writeFileSync(contentOf(".head"), torn);
      const found = open().read(RUN);
      expect([1, 2]).toContain(found?.seq);
      // Only the spaces at the end may be missing.
      if (found?.seq === 2) expect(whole.subarray(at).toString("utf8").trim()).toBe("");
    }
  });

  test("cause no error if they cannot be written", () => {
    const { calls } = written(0);
    expect(calls.length).toBeGreaterThan(5);
    for (let at = 1; at <= calls.length; at++) {
      rmSync(join(base, "user"), { recursive: true, force: true });
      expect(() => written(at)).not.toThrow();
      expect(readdirSync(base)).toContain("tree");
    }
    function written(at: number) {
      const faulty = createFaultFiles(at, "EIO");
      const anchors = createFileAnchors(join(base, "user"), join(base, "tree"), faulty.files);
      anchors.write(RUN, head(1), true);
      anchors.write(RUN, head(2), true);
      return faulty;
    }
  });
});

describe("key of the user", () => {
  test("is created once and readable only by the user", () => {
    const folder = join(base, "deep", "user");
    const key = loadUserKey(folder);
    expect(key).toHaveLength(32);
    expect(loadUserKey(folder).equals(key)).toBe(true);
    expect(statSync(join(folder, "key")).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(["key"]);
  });

  test("is the first one if two processes create it", () => {
    const folder = join(base, "user");
    let first: Buffer = Buffer.alloc(0);
    const late = {
      ...nodeFiles,
      linkSync: (...args: Parameters<typeof nodeFiles.linkSync>) => {
        first = loadUserKey(folder);
        nodeFiles.linkSync(...args);
      },
    };
    expect(loadUserKey(folder, late).equals(first)).toBe(true);
    expect(readdirSync(folder)).toEqual(["key"]);
  });

  test.each(["", "short", "x".repeat(33)])("is not replaced if damaged (%j)", (content) => {
    const folder = join(base, "user");
    mkdirSync(folder);
    writeFileSync(join(folder, "key"), content);
    expect(() => loadUserKey(folder)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) }),
    );
    expect(readFileSync(join(folder, "key"), "utf8")).toBe(content);
  });
});
