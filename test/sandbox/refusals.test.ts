import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { type SandboxOptions, createSandbox } from "../../src/adapters/sandbox/create-sandbox.ts";
import {
  createTestSandbox,
  sandboxOptions,
  createPlace,
  missing,
  type SandboxFixture,
  play,
} from "./sandbox-fixture.ts";

type Odd = readonly [string, (place: SandboxFixture) => Partial<SandboxOptions>, RegExp];

/** Trees that cannot be sandboxed without hiding or opening too much. */
const odd: readonly Odd[] = [
  ["the root of all", () => ({ root: "/" }), /contains .*has to stay hidden/],
  ["the home itself", ({ home }) => ({ root: home }), /contains .*has to stay hidden/],
  ["a folder around the home", ({ base }) => ({ root: base }), /contains .*has to stay hidden/],
  ["/tmp", () => ({ root: "/tmp" }), /contains \/tmp/],
  ["/usr", () => ({ root: "/usr" }), /lies in \/usr/],
  ["a folder of processes", () => ({ root: "/proc/self" }), /lies in \/proc/],
  ["our own settings", ({ config }) => ({ root: config }), /contains .*config\/isdlc/],
  ["no folder", ({ base }) => ({ root: join(base, "none") }), /there is no folder/],
  ["a home that is everything", () => ({ home: "/" }), /the home folder is \//],
  ["opening our settings", ({ base }) => ({ extra: { read: [], write: [join(base, "config")] } }), /cannot be opened/],
  ["opening the home", ({ home }) => ({ extra: { read: [], write: [home] } }), /cannot be opened/],
  ["opening a relative path", () => ({ extra: { read: ["../x"], write: [] } }), /not an absolute path/],
];

const unsafe: readonly (readonly [string, (place: SandboxFixture) => void, string])[] = [
  ["our folder is a link", (place) => moveAndLink(place, ".isdlc"), ".isdlc"],
  ["the git folder is a link", (place) => moveAndLink(place, ".git"), ".git"],
  ["our folder is not there yet", ({ tree }) => rmSync(join(tree, ".isdlc"), { recursive: true }), ".isdlc"],
  ["hooks are a link to nothing in the tree", (place) => linkHooks(place, "../none"), ".git/hooks"],
  [
    "hooks are a link to a link in the tree",
    (place) => {
      mkdirSync(join(place.tree, "real-hooks"));
      symlinkSync("real-hooks", join(place.tree, "hooks"));
      linkHooks(place, "../hooks");
    },
    ".git/hooks",
  ],
];

function moveAndLink({ base, tree }: SandboxFixture, name: string): void {
  renameSync(join(tree, name), join(base, "moved"));
  symlinkSync(join(base, "moved"), join(tree, name));
}

function linkHooks({ tree }: SandboxFixture, target: string): void {
  rmSync(join(tree, ".git/hooks"), { recursive: true });
  symlinkSync(target, join(tree, ".git/hooks"));
}

const links: readonly (readonly [string, string, string])[] = [
  ["a folder of settings", "skills", "../.ssh"],
  ["a file of settings", "config.toml", "../.ssh/id_ed25519"],
  ["a folder that lasts", "sessions", "../.ssh"],
  ["a file that lasts", "auth.json", "../.ssh/id_ed25519"],
  ["a link to nothing", "prompts", "../none"],
];

const suffix = missing === null ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== null)(`what cannot be sandboxed is said beforehand${suffix}`, () => {
  test.each(odd)("%s", (_name, options, why) => {
    const place = createPlace();
    const made = createSandbox(sandboxOptions(place, options(place)));
    expect(made).toEqual({ ok: false, why: expect.stringMatching(why) });
  });

  test("an ordinary tree is not refused", () => {
    expect(createSandbox(sandboxOptions(createPlace())).ok).toBe(true);
  });
});

describe.skipIf(missing !== null)(`S3 S10 an agent is not started where the sandbox would not hold${suffix}`, () => {
  test.each(unsafe)("%s", async (_name, prepare, path) => {
    const place = createPlace();
    const sandbox = createTestSandbox(place);
    prepare(place);
    const ran = await play(place, "echo started", { sandbox });
    expect(ran.stdout).toBe("");
    expect(ran.exitCode).toBe(null);
    expect(ran.stderr).toContain(join(place.tree, path));
  });

  test.each(links)("%s of the agent product is a link out of its folder", async (_name, name, target) => {
    const place = createPlace();
    const needs = agentNeeds("codex", {}, place.home);
    mkdirSync(join(place.home, ".codex"));
    symlinkSync(target, join(place.home, ".codex", name));
    const ran = await play(place, 'echo started; cat "$HOME/.codex/*/id_ed25519"', {
      sandbox: createTestSandbox(place, { needs }),
    });
    expect([ran.stdout, ran.exitCode]).toEqual(["", null]);
    expect(ran.stderr).toContain(join(place.home, ".codex", name));
    expect(ran.stderr).toContain("leads out of");
  });

  test("a link that stays in the folder of the product is followed", async () => {
    const place = createPlace();
    place.put("home/.codex/shared/config.toml");
    symlinkSync("shared/config.toml", join(place.home, ".codex/config.toml"));
    const sandbox = createTestSandbox(place, { needs: agentNeeds("codex", {}, place.home) });
    expect((await play(place, 'cat "$HOME/.codex/config.toml"', { sandbox })).stdout).toBe("the person's");
  });
});
