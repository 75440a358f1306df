import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createStateFile } from "../../src/adapters/files/state-file.ts";
import { noRun } from "../../src/core/run.ts";
import { projectStateFile } from "../../src/views/state-file/state-file.ts";
import { inheritSettings } from "../../src/adapters/git/worktree/worktree-create.ts";

function twoTrees() {
  const base = mkdtempSync(join(tmpdir(), "isdlc-settings-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [from, to] = [join(base, "from"), join(base, "to")];
  mkdirSync(from);
  mkdirSync(to);
  const write = (root: string, name: string, content: string) => {
    mkdirSync(dirname(join(root, ".isdlc", name)), { recursive: true });
    writeFileSync(join(root, ".isdlc", name), content);
  };
  const read = (name: string): unknown => JSON.parse(readFileSync(join(to, ".isdlc", name), "utf8"));
  return { from, to, write, read };
}

const settings = { supervised_mode: { enabled: true }, code_review: { enabled: false }, team: { any: ["thing"] } };

describe("settings inherited by a new worktree", () => {
  test("include the user's keys, but none derived from a journal", () => {
    const { from, to, write, read } = twoTrees();
    write(from, "state.json", JSON.stringify(settings));
    const rendered = createStateFile(join(from, ".isdlc", "state.json"), nodeFiles);
    rendered.write(({ user, version }) =>
      projectStateFile({ user, run: noRun, history: [], version: version + 1, counters: { next_req_id: 4 } }),
    );
    expect(Object.keys(rendered.read() as object).length).toBeGreaterThan(Object.keys(settings).length);
    write(from, "workflows.json", '{"workflows":{}}');
    write(from, "journal/20261115-101500123-k3f9.jsonl", "events");
    write(from, "active", "{}");
    expect(inheritSettings(from, to)).toEqual([".isdlc/.gitignore", ".isdlc/state.json", ".isdlc/workflows.json"]);
    expect(read("state.json")).toEqual(settings);
    expect(read("workflows.json")).toEqual({ workflows: {} });
    expect(readdirSync(join(to, ".isdlc")).toSorted()).toEqual([".gitignore", "state.json", "workflows.json"]);
  });

  test("do not replace existing files", () => {
    const { from, to, write, read } = twoTrees();
    write(from, "state.json", JSON.stringify(settings));
    write(from, "workflows.json", "{}");
    write(to, "state.json", '{"mine":1}');
    write(to, "workflows.json", '{"mine":2}');
    expect(inheritSettings(from, to)).toEqual([".isdlc/.gitignore"]);
    expect([read("state.json"), read("workflows.json")]).toEqual([{ mine: 1 }, { mine: 2 }]);
  });

  test.each<[string, (from: string) => void]>([
    ["no folder", () => {}],
    ["a linked folder", (from) => symlinkSync("/tmp", join(from, ".isdlc"))],
  ])("are empty for %s", (_what, make) => {
    const { from, to } = twoTrees();
    make(from);
    expect(inheritSettings(from, to)).toEqual([]);
    expect(existsSync(join(to, ".isdlc"))).toBe(false);
  });

  test.each<[string, (file: string) => void]>([
    ["damaged", (file) => writeFileSync(file, "{")],
    ["a list", (file) => writeFileSync(file, "[1]")],
    ["a link", (file) => symlinkSync("/etc/hostname", file)],
    ["derived only", (file) => writeFileSync(file, '{"phases":{},"derived_digest":"x"}')],
  ])("exclude a state.json that is %s", (_what, make) => {
    const { from, to } = twoTrees();
    mkdirSync(join(from, ".isdlc"));
    make(join(from, ".isdlc", "state.json"));
    expect(inheritSettings(from, to)).toEqual([".isdlc/.gitignore"]);
  });
});
