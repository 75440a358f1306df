import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  findByExternalRef,
  findDirForDescription,
  listItems,
  resolveItem,
} from "../../src/adapters/project-files/resolve-item.ts";

let root = "";
const items = () => join(root, "docs", "requirements");
const backlog = () => join(root, "BACKLOG.md");
const resolve = (input: unknown) => resolveItem(input, items(), backlog());

/** A folder with a meta file, unless it is null. */
function item(name: string, meta: Record<string, unknown> | null = {}): void {
  mkdirSync(join(items(), name), { recursive: true });
  if (meta !== null) writeFileSync(join(items(), name, "meta.json"), JSON.stringify(meta));
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "isdlc-resolve-test-"));
  mkdirSync(items(), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("resolveItem [VERBS-RESOLVE]", () => {
  beforeEach(() => {
    item("login", { slug: "login" });
    item("REQ-0001-pay-by-card", { source: "github", source_id: "GH-42" });
    item("REQ-0002-export", { source: "jira", source_id: "ABC-12" });
    item("old-thing", null);
    writeFileSync(
      backlog(),
      [
        "## Open",
        "- 1.1 [ ] Login screen for guests",
        "- 1.2 [A] Pay by card -> [requirements](docs/requirements/REQ-0001-pay-by-card/)",
        "- 1.3 [ ] Nothing made of it yet",
        "- [ ] #77 From an issue [github: GH-77] -> [requirements](docs/requirements/REQ-0002-export/)",
      ].join("\r\n"),
    );
  });

  test.each([
    ["its folder name", "login", { slug: "login" }],
    ["its folder name in upper case", "LOGIN", { slug: "login" }],
    ["the end of its folder name", "pay-by-card", { slug: "REQ-0001-pay-by-card" }],
    ["a part of that end", "card", { slug: "REQ-0001-pay-by-card" }],
    ["its number in the backlog", "1.2", { slug: "REQ-0001-pay-by-card", itemNumber: "1.2" }],
    ["a number without a folder", "1.3", { slug: "nothing-made-of-it-yet", dir: null, meta: null }],
    ["its issue number", "#42", { slug: "REQ-0001-pay-by-card" }],
    ["an issue number in the backlog", "#77", { slug: "REQ-0002-export", itemNumber: "#77" }],
    ["its ticket", "ABC-12", { slug: "REQ-0002-export" }],
    ["words of its title", "screen for", { slug: "login-screen-for-guests", itemNumber: "1.1" }],
    ["its original description", "Old thing!", { slug: "old-thing", meta: null }],
  ])("finds an item by %s", (_name, input, found) => {
    expect(resolve(input)).toMatchObject(found);
  });

  test("finds a folder without a meta file [BUILD-NFR-003, BUILD-US-005-01]", () => {
    expect(resolve("old-thing")).toEqual({ slug: "old-thing", dir: join(items(), "old-thing"), meta: null });
  });

  test("prefers the first kind of match", () => {
    item("1.1");
    item("REQ-0009-screen");
    expect(resolve("1.1")).toMatchObject({ slug: "1.1" });
    expect(resolve("screen")).toMatchObject({ slug: "REQ-0009-screen" });
    item("screen");
    expect(resolve("screen")).toMatchObject({ slug: "screen" });
  });

  test("returns several matches with all known facts", () => {
    item("REQ-0007-login-card");
    expect(resolve("card")).toMatchObject({
      multiple: true,
      matches: [{ slug: "REQ-0001-pay-by-card" }, { slug: "REQ-0007-login-card" }],
    });
    expect(resolve("n")).toMatchObject({ multiple: true });
    item("REQ-0008-x", { source_id: "GH-42" });
    expect(resolve("#42")).toMatchObject({ multiple: true, matches: [{}, {}] });
  });

  test("prefers an exact name after a number to a longer name", () => {
    item("REQ-0005-card");
    expect(resolve("card")).toMatchObject({ slug: "REQ-0005-card" });
  });

  test("returns null for an unknown item [BUILD-ERR-001]", () => {
    for (const input of ["nowhere at all", "9.9", "#9", "ZZZ-9", "", "  ", null, 5, {}, []])
      expect(resolve(input)).toBeNull();
    expect(resolveItem("login", null, null)).toBeNull();
    expect(resolveItem("login", join(root, "none"), join(root, "none"))).toBeNull();
  });

  test.each([
    "..",
    "../..",
    "../../etc",
    "/etc",
    "a/../login",
    "..\\login",
    "%2e%2e%2f",
    "login\0",
    "login/",
    "./login",
    "x".repeat(5000),
    "$(touch P)",
    "-x",
  ])("returns null for %j", (input) => {
    mkdirSync(join(root, "docs", "outside"));
    expect(resolve(input)).toBeNull();
  });

  test("follows no backlog link out of the folder", () => {
    mkdirSync(join(root, "secret"));
    writeFileSync(join(root, "secret", "meta.json"), '{"slug":"secret"}');
    writeFileSync(
      backlog(),
      "- 5.1 [ ] Evil -> [requirements](../secret/)\n- 5.2 [ ] Worse -> [requirements](../..)\n",
    );
    expect(resolve("5.1")).toMatchObject({ slug: "secret", dir: null, meta: null });
    expect(resolve("5.2")).toMatchObject({ slug: "worse", dir: null, meta: null });
  });

  test("ignores links instead of folders", () => {
    mkdirSync(join(root, "elsewhere"));
    writeFileSync(join(root, "elsewhere", "meta.json"), "{}");
    symlinkSync(join(root, "elsewhere"), join(items(), "linked"));
    symlinkSync(items(), join(root, "linked-items"));
    expect(resolve("linked")).toBeNull();
    expect(resolveItem("login", join(root, "linked-items"), null)).toBeNull();
    expect(listItems(items()).map(({ slug }) => slug)).toEqual([
      "REQ-0001-pay-by-card",
      "REQ-0002-export",
      "login",
      "old-thing",
    ]);
  });

  test("returns matches of its helper functions", () => {
    expect(findByExternalRef(items(), "#42").map(({ slug }) => slug)).toEqual(["REQ-0001-pay-by-card"]);
    expect(findByExternalRef(items(), "GH-42")).toHaveLength(1);
    expect(findByExternalRef(items(), 42)).toEqual([]);
    expect(findDirForDescription(items(), "Pay by card")?.slug).toBe("REQ-0001-pay-by-card");
    expect(findDirForDescription(items(), "by card")).toBeNull();
    expect(findDirForDescription(items(), "")).toBeNull();
  });
});
