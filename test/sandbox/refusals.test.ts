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

/** Trees that cannot be sandboxed without hiding or exposing too much. */
const odd: readonly Odd[] = [
  ["the root folder as working tree", () => ({ root: "/" }), /contains .*has to stay hidden/],
  ["the home folder as working tree", ({ home }) => ({ root: home }), /contains .*has to stay hidden/],
  ["a parent of the home folder as working tree", ({ base }) => ({ root: base }), /contains .*has to stay hidden/],
  ["/tmp", () => ({ root: "/tmp" }), /contains \/tmp/],
  ["/usr", () => ({ root: "/usr" }), /is inside \/usr/],
  ["a folder of /proc", () => ({ root: "/proc/self" }), /is inside \/proc/],
  ["the settings folder of isdlc", ({ config }) => ({ root: config }), /contains .*config\/isdlc/],
  ["a missing folder", ({ base }) => ({ root: join(base, "none") }), /there is no folder/],
  ["the root folder as home folder", () => ({ home: "/" }), /the home folder is \//],
  [
    "access to the settings of isdlc",
    ({ base }) => ({ extra: { read: [], write: [join(base, "config")] } }),
    /cannot be opened/,
  ],
  ["access to the home folder", ({ home }) => ({ extra: { read: [], write: [home] } }), /cannot be opened/],
  ["access to a relative path", () => ({ extra: { read: ["../x"], write: [] } }), /not an absolute path/],
];

const unsafe: readonly (readonly [string, (place: SandboxFixture) => void, string])[] = [
  ["a linked .isdlc folder", (place) => moveAndLink(place, ".isdlc"), ".isdlc"],
  ["a linked git folder", (place) => moveAndLink(place, ".git"), ".git"],
  ["a missing .isdlc folder", ({ tree }) => rmSync(join(tree, ".isdlc"), { recursive: true }), ".isdlc"],
  ["hooks linked to a missing path", (place) => linkHooks(place, "../none"), ".git/hooks"],
  [
    "hooks linked through another link",
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
  ["a settings folder", "skills", "../.ssh"],
  ["a settings file", "config.toml", "../.ssh/id_ed25519"],
  ["a persistent folder", "sessions", "../.ssh"],
  ["a persistent file", "auth.json", "../.ssh/id_ed25519"],
  ["a link to a missing path", "prompts", "../none"],
];

const suffix = missing === null ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== null)(`impossible sandbox${suffix}`, () => {
  test.each(odd)("is refused in advance for %s", (_name, options, why) => {
    const place = createPlace();
    const made = createSandbox(sandboxOptions(place, options(place)));
    expect(made).toEqual({ ok: false, why: expect.stringMatching(why) });
  });

  test("is not reported for an ordinary working tree", () => {
    expect(createSandbox(sandboxOptions(createPlace())).ok).toBe(true);
  });
});

describe.skipIf(missing !== null)(`start of an agent without a safe sandbox${suffix} [S3, S10]`, () => {
  test.each(unsafe)("is refused for %s", async (_name, prepare, path) => {
    const place = createPlace();
    const sandbox = createTestSandbox(place);
    prepare(place);
    const ran = await play(place, "echo started", { sandbox });
    expect(ran.stdout).toBe("");
    expect(ran.exitCode).toBe(null);
    expect(ran.stderr).toContain(join(place.tree, path));
  });

  test.each(links)("is refused if %s of the product is a link out of its folder", async (_name, name, target) => {
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

  test("is allowed if a link stays in the folder of the product", async () => {
    const place = createPlace();
    place.put("home/.codex/shared/config.toml");
    symlinkSync("shared/config.toml", join(place.home, ".codex/config.toml"));
    const sandbox = createTestSandbox(place, { needs: agentNeeds("codex", {}, place.home) });
    expect((await play(place, 'cat "$HOME/.codex/config.toml"', { sandbox })).stdout).toBe("the person's");
  });
});
