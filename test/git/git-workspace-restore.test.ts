import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { toOutcome, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);

describe("restore", () => {
  test("restores content, mode, links and swapped folders, and keeps the index", async () => {
    fixture.write("script", "1");
    chmodSync(at("script"), 0o755);
    symlinkSync("script", at("link"));
    fixture.write("folder/file", "1");
    fixture.write("file", "1");
    fixture.write("other", "1");
    fixture.commitAll("one");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const before = await workspace.snapshot("before", []);
    for (const name of ["script", "link", "folder", "file"]) rmSync(at(name), { recursive: true });
    fixture.write("script", "2");
    fixture.write("link", "2");
    fixture.write("folder", "2");
    fixture.write("file/inner", "2");
    fixture.write("other", "2");
    fixture.git("add", "-A");
    const staged = fixture.git("ls-files", "-s");
    const after = await workspace.snapshot("after", []);
    const paths = (await workspace.diff(before, after))!.map(({ path }) => path).filter((path) => path !== "other");
    await workspace.restore(before!, paths);
    expect(statSync(at("script")).mode & 0o111).toBe(0o111);
    expect(readlinkSync(at("link"))).toBe("script");
    expect(readFileSync(at("folder/file"), "utf8")).toBe("1");
    expect(readFileSync(at("file"), "utf8")).toBe("1");
    expect(readFileSync(at("other"), "utf8")).toBe("2");
    expect(fixture.git("ls-files", "-s")).toBe(staged);
  });

  test("stays in the working tree despite links and paths that lead outside [S3]", async () => {
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    fixture.write("folder/file", "inside");
    fixture.write("single", "inside");
    const before = (await workspace.snapshot("before", []))!;
    mkdirSync(join(fixture.base, "victim"));
    writeFileSync(join(fixture.base, "victim/file"), "victim");
    rmSync(at("folder"), { recursive: true });
    rmSync(at("single"));
    symlinkSync(join(fixture.base, "victim"), at("folder"));
    symlinkSync(join(fixture.base, "victim/file"), at("single"));
    expect(await toOutcome(workspace.restore(before, ["folder/file"]))).toMatchObject({ problem: "UNSAFE_PATH" });
    await workspace.restore(before, ["single", "folder/not-in-snapshot"]);
    expect(lstatSync(at("single")).isFile()).toBe(true);
    for (const path of [
      "../victim/file",
      join(fixture.base, "victim/file"),
      "a/../../victim/file",
      ".git/config",
      ".GIT/config",
      "",
      "a\0b",
    ]) {
      expect(await toOutcome(workspace.restore(before, [path]))).toMatchObject({ problem: "UNSAFE_PATH" });
    }
    expect(readFileSync(join(fixture.base, "victim/file"), "utf8")).toBe("victim");
    expect(existsSync(at(".git/config"))).toBe(true);
  });

  test("restores line endings converted by git", async () => {
    fixture.write(".gitattributes", "*.txt text eol=crlf\n");
    fixture.write("a.txt", "1\r\n2\r\n");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const before = await workspace.snapshot("before", []);
    fixture.write("a.txt", "3\r\n");
    await workspace.restore(before!, ["a.txt"]);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("1\r\n2\r\n");
  });
});
