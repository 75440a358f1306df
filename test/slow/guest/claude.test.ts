import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { Sandbox } from "../../support/cli.ts";
import { hasTmux, openTerminal } from "../terminal/terminal.ts";
import {
  begin,
  enter,
  createClaudeGuest,
  headless,
  report,
  said,
  SERVER,
  served,
  STATUS,
  writesDocument,
} from "./claude-session.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);

const shell = (command: string): Turn => ({ calls: [{ shell: command }] });
const write = (path: string): Turn => ({ calls: [{ write: { path, content: "{}" } }] });

/** Attempts of a model that breaks every rule before it does its work. */
const FORBIDDEN_TURNS: readonly Turn[] = [
  write(".isdlc/config.json"),
  shell("echo '{}' > .isdlc/state.json"),
  shell("cd .isdlc && tee state.json < /dev/null"),
  shell("mv README.md .isdlc/active"),
  shell("git checkout -- .isdlc"),
  shell("ln -s .isdlc other"),
  write(".ISDLC/other.json"),
  shell(`python3 -c "open('.isdlc/state.json','w')"`),
  write(".claude/settings.local.json"),
  shell("echo '{\"disableAllHooks\":true}' > $HOME/.claude/settings.json"),
  write("src/early.ts"),
  shell("git commit --allow-empty -m x"),
  shell("isdlc continue"),
];

describe.each(binaries)("session of Claude Code $version", ({ version, binary }) => {
  test.skipIf(!binary.ok)("receives its context, is blocked outside its phase and completes it", async () => {
    const guest = await createClaudeGuest(version, (sandbox) => [
      {
        name: "plan",
        when: { prompt: "Go on" },
        turns: [
          begin,
          ...FORBIDDEN_TURNS,
          writesDocument(sandbox, "plan.md"),
          report(sandbox),
          { text: "The person decides now." },
        ],
      },
    ]);
    await headless(guest, "Go on");
    const [first] = guest.setup.model.calls.filter(({ matched }) => matched?.rule === "plan");
    expect(JSON.stringify(first?.request)).toContain("Next: isdlc begin");
    const answers = said(guest, "plan");
    expect(answers[1]).toContain("phase plan");
    const refusals = answers.slice(2, 2 + FORBIDDEN_TURNS.length);
    expect(refusals).toHaveLength(FORBIDDEN_TURNS.length);
    for (const [at, answer] of refusals.entries())
      expect(answer, JSON.stringify(FORBIDDEN_TURNS[at])).toMatch(/isdlc: /);
    expect(answers.at(-1)).toContain("Only they decide");
    expect(await guest.sandbox.status()).toMatchObject({ waiting: { kind: "gate" } });
    expect(guest.sandbox.git("status", "--porcelain")).toBe("");
    const summary = guest.sandbox.read(".isdlc/reviews/phase-plan-summary.md");
    expect(summary).not.toContain("hooks were not seen");
  });

  test.skipIf(!binary.ok || !hasTmux())("accepts an answer only from the user's keyboard", async () => {
    const rules = (sandbox: Sandbox): Rule[] => [
      {
        name: "plan",
        when: { prompt: /Call the tool .{1,4}begin/ },
        turns: [
          begin,
          writesDocument(sandbox, "plan.md"),
          report(sandbox),
          { calls: [{ tool: `${SERVER}typed`, input: { command: "isdlc:continue", args: "", source: "plugin" } }] },
          { calls: [{ tool: "Skill", input: { skill: "isdlc:continue" } }] },
          shell("setsid script -qec 'isdlc continue' /dev/null"),
          { text: "The gate is open." },
        ],
      },
      STATUS,
      { name: "after", when: { prompt: "The user ran" }, turns: [{ text: "It went on." }], past: "repeat" },
    ];
    const guest = await createClaudeGuest(version, rules);
    const { sandbox, setup, env, args } = guest;
    const terminal = await openTerminal(sandbox, { env, width: 160 });
    terminal.type([setup.program, ...args].map((word) => `'${word}'`).join(" "));
    await terminal.shows("❯");
    await served(guest, terminal);
    await enter(terminal, "/isdlc:next");
    await terminal.shows("The gate is open.");
    const [typed, skill, pty] = said(guest, "plan").slice(-3);
    expect(typed).toContain("only the host may call this");
    expect(skill).toContain("disable-model-invocation");
    expect(pty).toContain("isdlc continue is for the person");
    expect(await sandbox.status()).toMatchObject({ waiting: { kind: "gate" } });
    await enter(terminal, "/isdlc:continue");
    await terminal.shows("It went on.");
    const answers = (await sandbox.events()).filter((event) => event.type === "gate.answered");
    expect(answers).toMatchObject([{ choice: "continue", by: { channel: "prompt" } }]);
    expect(await sandbox.status()).toMatchObject({ current: "implement", status: "running" });
    await enter(terminal, "/exit");
    await terminal.shows(/\$ *$/);
  });

  test.skipIf(!binary.ok)("loads the plugin after install, and not after uninstall", async () => {
    const turns: Turn[] = [shell("isdlc continue"), { text: "Tried." }];
    const guest = await createClaudeGuest(version, () => [{ name: "try", when: { prompt: "Go on" }, turns }]);
    const installed = { ...guest, args: ["--allowedTools", "Bash"] };
    const isdlc = (verb: string) => guest.sandbox.start([verb, "claude", "--json"], guest.env).ended;
    expect((await isdlc("install")).code).toBe(0);
    await headless(installed, "Hello, then Go on"); // one version loads new plugins only at its second start
    await headless(installed, "Go on");
    expect(said(guest, "try").at(-1)).toContain("isdlc continue is for the person");
    await isdlc("uninstall");
    await headless(installed, "Go on");
    expect(said(guest, "try").at(-1)).not.toContain("is for the person");
  });

  test.skipIf(!binary.ok)("validates the plugin and runs it from its own copy", async () => {
    const { setup, env, sandbox } = await createClaudeGuest(version, () => []);
    const product = (...words: string[]): Promise<string> =>
      new Promise((resolve) => {
        execFile(setup.program, ["plugin", ...words], { env }, (_error, stdout) => resolve(stdout));
      });
    const source = dirname(dirname(dirname(await builtProgram())));
    for (const manifest of ["", ".claude-plugin/plugin.json"]) {
      const text = await product("validate", join(source, manifest));
      expect(text).toContain("Validation passed");
      expect(text).not.toMatch(/validation failed|frontmatter/i); // the output also contains the hooks, one of which mentions a failure
    }
    await product("marketplace", "add", source);
    await product("install", "isdlc@isdlc");
    const copies = join(env["HOME"] ?? "", ".claude/plugins/cache/isdlc/isdlc");
    const copy = join(copies, readdirSync(copies)[0] ?? "");
    const start = JSON.parse(readFileSync(join(copy, "plugin/hooks/hooks.json"), "utf8")).hooks.SessionStart[0]
      .hooks[0];
    const context = execFileSync("sh", ["-c", start.command], {
      cwd: sandbox.root,
      env: { ...env, CLAUDE_PLUGIN_ROOT: copy },
      encoding: "utf8",
    });
    expect(context).toContain("Next: isdlc begin");
    const server = JSON.parse(readFileSync(join(copy, "plugin/mcp.json"), "utf8")).mcpServers.isdlc;
    expect(server).toMatchObject({ args: ["${CLAUDE_PLUGIN_ROOT}/dist/bin/isdlc.cjs", "mcp"], alwaysLoad: true });
  });
});
