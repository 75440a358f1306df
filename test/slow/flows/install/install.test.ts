import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  hookCommands,
  installedHookCommands,
  REGISTER_HOST,
} from "../../../../src/adapters/agents/installation/hook-commands.ts";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import { markRun } from "../../../support/mark-run.ts";
import { fc, test as property } from "@fast-check/vitest";
import { addTo, removeFrom } from "../../../../src/adapters/agents/installation/edit-text.ts";

const PRODUCTS = ["claude", "codex", "gemini", "opencode"];
const REPOSITORY = join(import.meta.dirname, "../../../..");

const home = (sandbox: Sandbox): string => sandbox.env["HOME"] ?? "";
function put(sandbox: Sandbox, path: string, text: string): string {
  const file = join(home(sandbox), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Files in a user's style: comments, irregular spaces, no newline at the end. */
const USER_FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json":
    '{\n    "model" :"opus",   "permissions":{"allow":["Bash(ls)"]}, "enabledPlugins": {"other@x": true} }',
  ".codex/config.toml": '# mine\nmodel = "gpt"\n[mcp_servers.other]\ncommand="x"',
  ".codex/hooks.json": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine"}]}]}}\n',
};

describe("isdlc install and uninstall", () => {
  test.each(PRODUCTS)("preserves the user's settings and restores every byte on uninstall: %s", async (product) => {
    const sandbox = await createSandbox();
    const files = Object.entries(USER_FILES).map(([path, text]) => ({ file: put(sandbox, path, text), text }));
    for (const { file } of files) chmodSync(file, 0o640);
    const installed = parsed(await sandbox.script("install", product, "--json"));
    expect(installed.files.every(({ did }: { did: string }) => did === "written")).toBe(true);
    const again = parsed(await sandbox.script("install", product, "--json"));
    expect(again.files.every(({ did }: { did: string }) => did === "unchanged")).toBe(true);
    const doctor = await sandbox.script("doctor");
    expect(doctor.stdout).toContain(`${product}: installed`);
    expect(statSync(files[0]?.file ?? "").mode & 0o777).toBe(0o640);
    await sandbox.script("uninstall", product, "--json");
    for (const { file, text } of files) expect(readFileSync(file, "utf8")).toBe(text);
    for (const { file } of installed.files as { file: string }[])
      if (!files.some((own) => own.file === file)) expect(existsSync(file)).toBe(false);
    expect(existsSync(join(home(sandbox), ".gemini/extensions/isdlc"))).toBe(false);
  });

  test("adds Claude Code's sandbox to the project's local settings and removes it", async () => {
    const sandbox = await createSandbox();
    const own = '{ "sandbox": { "filesystem": { "denyWrite": ["~/notes"] } } }\n';
    sandbox.write(".claude/settings.local.json", own);
    const installed = parsed(await sandbox.script("install", "claude", "--sandbox", "--json"));
    const { enabled, failIfUnavailable, allowUnsandboxedCommands, filesystem } = JSON.parse(
      sandbox.read(".claude/settings.local.json"),
    ).sandbox;
    expect([enabled, failIfUnavailable, allowUnsandboxedCommands]).toEqual([true, true, false]);
    expect(filesystem.denyWrite).toEqual(["~/notes", join(sandbox.root, ".isdlc"), join(sandbox.root, ".git")]);
    expect(filesystem.denyRead).toContain(join(sandbox.env["XDG_STATE_HOME"] ?? "", "isdlc"));
    expect(parsed(await sandbox.script("install", "claude", "--sandbox", "--json")).files).toHaveLength(
      installed.files.length,
    );
    const { stdout } = await sandbox.script("doctor");
    expect(stdout).toMatch(/claude sandbox in this project: (?:installed|cannot start)/);
    expect(stdout).toContain("kernel.yama.ptrace_scope is ");
    await sandbox.script("uninstall", "claude");
    expect(sandbox.read(".claude/settings.local.json")).toBe(own);
  });

  test("leaves the user's own sandbox settings unchanged and reports missing ones", async () => {
    const sandbox = await createSandbox();
    const own = '{ "sandbox": { "enabled": true } }\n';
    sandbox.write(".claude/settings.local.json", own);
    await sandbox.script("install", "claude");
    expect((await sandbox.script("doctor")).stdout).toContain("isdlc install claude --sandbox");
    await sandbox.script("uninstall", "claude");
    expect(sandbox.read(".claude/settings.local.json")).toBe(own);
    expect(await sandbox.script("install", "codex", "--sandbox")).toMatchObject({ code: 2 });
  });

  test("keeps settings that the user added after the installation", async () => {
    const sandbox = await createSandbox();
    const file = put(sandbox, ".claude/settings.json", '{\n  "model": "opus"\n}\n');
    await sandbox.script("install", "claude");
    writeFileSync(file, readFileSync(file, "utf8").replace('"model": "opus"', '"model": "sonnet",\n  "theme": "dark"'));
    await sandbox.script("uninstall", "claude");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ model: "sonnet", theme: "dark" });
  });

  test("leaves unreadable settings unchanged and reports them", async () => {
    const sandbox = await createSandbox();
    const file = put(sandbox, ".claude/settings.json", '{ "model": ');
    const refused = parsed(await sandbox.script("install", "claude", "--json"));
    expect(refused.problem).toMatchObject({ code: "SETTINGS_UNREADABLE", file });
    expect(readFileSync(file, "utf8")).toBe('{ "model": ');
  });

  test("writes through a symbolic link to a dotfiles folder", async () => {
    const sandbox = await createSandbox();
    const real = put(sandbox, "dotfiles/claude.json", "{}\n");
    mkdirSync(join(home(sandbox), ".claude"));
    symlinkSync(real, join(home(sandbox), ".claude/settings.json"));
    await sandbox.script("install", "claude");
    expect(JSON.parse(readFileSync(real, "utf8")).enabledPlugins).toEqual({ "isdlc@isdlc": true });
    await sandbox.script("uninstall", "claude");
    expect(readFileSync(real, "utf8")).toBe("{}\n");
  });

  test("writes to the user's local file with --project, and refuses agents", async () => {
    const sandbox = await createSandbox();
    await sandbox.script("install", "claude", "--project");
    expect(sandbox.json(".claude/settings.local.json").enabledPlugins).toEqual({ "isdlc@isdlc": true });
    const refused = await sandbox.start(["uninstall", "claude", "--project", "--json"], { CLAUDECODE: "1" }).ended;
    expect(parsed(refused).problem.code).toBe("ANSWERED_BY_AGENT");
  });

  test("keeps tables that Codex adds between the markers, and reports the integration as installed", async () => {
    const sandbox = await createSandbox();
    await sandbox.script("install", "codex");
    const file = join(home(sandbox), ".codex/config.toml");
    const end = "# <<< isdlc\n";
    const trusted = '[hooks.state]\n\n[hooks.state."hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:00"\n';
    const approved = '\n[mcp_servers.isdlc.tools.begin]\napproval_mode = "approve"\n\n';
    const before = readFileSync(file, "utf8");
    expect(before).toContain('"ANTHROPIC_API_KEY"');
    writeFileSync(file, before.replace(end, `${approved}${trusted}${end}`));
    expect((await sandbox.script("doctor")).stdout).toContain("codex: installed");
    const again = parsed(await sandbox.script("install", "codex", "--json"));
    expect(again.files.every(({ did }: { did: string }) => did === "unchanged")).toBe(true);
    await sandbox.script("uninstall", "codex");
    expect(readFileSync(file, "utf8")).toBe(trusted);
  });

  test("reports a stale installation in doctor", async () => {
    const sandbox = await createSandbox();
    await sandbox.script("install", "claude");
    const file = join(home(sandbox), ".claude/settings.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"path": "[^"]*"/, '"path": "/gone/plugin"'));
    expect((await sandbox.script("doctor")).stdout).toMatch(/warn claude: stale or changed: .*isdlc install claude/);
  });
});

describe("hook commands", () => {
  test("are the same in the plugin and in installed settings", () => {
    const { hooks } = JSON.parse(readFileSync(join(REPOSITORY, "plugin/hooks/hooks.json"), "utf8"));
    const root = '"$CLAUDE_PLUGIN_ROOT/dist/bin/';
    const { closed, open, start } = hookCommands(`${root}hook.cjs"`, `${root}isdlc.cjs"`);
    const command = (event: string): string => hooks[event][0].hooks[0].command;
    expect(["PreToolUse", "ConfigChange"].map(command)).toEqual([closed, closed]);
    expect(["UserPromptSubmit", "Stop"].map(command)).toEqual([open, open]);
    expect(hooks["PostToolUse"]).toBeUndefined(); // the guard decides before a tool, and a second process costs as much
    const atStart: string[] = hooks["SessionStart"][0].hooks.map((one: { command: string }) => one.command);
    expect(atStart).toEqual([start, REGISTER_HOST]);
  });

  test.each(["a b", "a;touch P", "a$(touch P)", "a`touch P`", "a'b\"c", "a\\b"])(
    "run no command from a folder named %s",
    async (name) => {
      const { base } = await createSandbox();
      const folder = join(base, name);
      mkdirSync(join(folder, "tree"), { recursive: true });
      markRun(join(folder, "tree"), "docs/a");
      writeFileSync(join(folder, "hook.cjs"), "process.stdout.write(JSON.stringify(process.argv.slice(2)))");
      const { closed } = installedHookCommands(join(folder, "hook.cjs"), join(folder, "isdlc.cjs"));
      const env = { PATH: process.env["PATH"] ?? "", CLAUDE_PROJECT_DIR: join(folder, "tree") };
      const said = execFileSync("sh", ["-c", closed], { cwd: base, env, encoding: "utf8" });
      expect(JSON.parse(said)).toEqual([join(folder, "tree")]);
      expect(existsSync(join(base, "P"))).toBe(false);
    },
  );

  test("block if a guard fails, and ignore failures of informational hooks", async () => {
    const { base } = await createSandbox();
    mkdirSync(join(base, "t"));
    markRun(join(base, "t"), "docs/a");
    writeFileSync(join(base, "bad.cjs"), "process.exit(1)");
    const { closed, open } = installedHookCommands(join(base, "bad.cjs"), "x");
    const status = (command: string, env: Readonly<Record<string, string>> = {}): number => {
      try {
        const all = { PATH: process.env["PATH"] ?? "", CLAUDE_PROJECT_DIR: join(base, "t"), ...env };
        execFileSync("sh", ["-c", command], { env: all, stdio: "ignore" });
        return 0;
      } catch (error) {
        return (error as { status: number }).status;
      }
    };
    expect([status(closed), status(open)]).toEqual([2, 0]);
    expect(status(closed, { CLAUDE_PROJECT_DIR: base })).toBe(0);
    expect(status(closed, { ISDLC_NONCE: "driven" })).toBe(0);
  });
});

property.prop([fc.object({ key: fc.string({ minLength: 1, maxLength: 8 }), maxDepth: 3 }), fc.constantFrom(0, 2, 4)])(
  "restores the values of any settings file after adding and removing an entry",
  (settings, indent) => {
    const text = JSON.stringify(settings, null, indent);
    const values: [string[], unknown][] = [[["isdlc-place", "isdlc"], { a: [1] }]];
    const added = addTo(text, { is: "values", values });
    const removed = removeFrom(added.ok ? added.text : null, { is: "values", values });
    expect(removed.ok && JSON.parse(removed.text ?? "")).toEqual(JSON.parse(text));
  },
);
