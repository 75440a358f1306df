import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCheckRunner } from "../../src/adapters/checks/create-check-runner.ts";
import { projectWith } from "./project.ts";

const checkIn = (root: string, paths: readonly string[]) =>
  createCheckRunner(root, { env: {}, redact: (text) => text }).artifacts(paths);

describe("artifacts", () => {
  test("are present if each is a non-empty file, or a link inside the working tree", async () => {
    const root = projectWith({ "docs/a.md": "# A", "docs/b c.md": "\uFEFF x" });
    symlinkSync("a.md", join(root, "docs/link.md"));
    const result = await checkIn(root, ["docs/a.md", "docs/b c.md", "docs/link.md"]);
    expect(result).toEqual({ name: "artifacts", ok: true, detail: "3 of 3 present" });
  });

  test("pass if none is required", async () => {
    expect(await checkIn(projectWith({}), [])).toMatchObject({ ok: true });
  });

  test("are listed with the reason if they are not usable", async () => {
    const outside = projectWith({ "secret.md": "secret" });
    const root = projectWith({ "good.md": "x", "empty.md": "", "blank.md": " \n\t\u200b\uFEFF\0 " });
    mkdirSync(join(root, "folder.md"));
    writeFileSync(join(root, "huge.md"), Buffer.alloc(5 * 1024 * 1024 + 1, "x"));
    symlinkSync(join(outside, "secret.md"), join(root, "out.md"));
    symlinkSync(outside, join(root, "away"));
    symlinkSync("loop.md", join(root, "loop.md"));
    symlinkSync("nowhere.md", join(root, "dangling.md"));
    execFileSync("mkfifo", [join(root, "pipe.md")]);
    const faults: readonly (readonly [string, string])[] = [
      ["missing.md", "is missing"],
      ["good.md/below.md", "is missing"],
      ["dangling.md", "is missing"],
      ["empty.md", "is empty"],
      ["blank.md", "is blank"],
      ["folder.md", "is not a plain file"],
      ["pipe.md", "is not a plain file"],
      ["huge.md", "is larger than 5 MB"],
      ["out.md", "leads out of the tree"],
      ["away/secret.md", "leads out of the tree"],
      ["loop.md", "cannot be read (ELOOP)"],
      ["../secret.md", "is not a path inside the tree"],
      [join(outside, "secret.md"), "is not a path inside the tree"],
      ["nul\0.md", "is not a path inside the tree"],
    ];
    const result = await checkIn(root, ["good.md", ...faults.map(([path]) => path)]);
    expect(result.ok).toBe(false);
    expect(result.detail.split("\n")).toEqual(faults.map(([path, fault]) => `${path} ${fault}`));
  });

  test("cannot be devices, even through a link", async () => {
    const root = projectWith({});
    symlinkSync("/dev/zero", join(root, "zero.md"));
    expect(await checkIn(root, ["zero.md"])).toMatchObject({ ok: false, detail: "zero.md leads out of the tree" });
  });
});
