import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Rule, ScriptedCall, Turn } from "../../stub-model/scenario.ts";
import { TASKS } from "../../items-cli/prepared-item.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import type { Json, Sandbox } from "../../support/cli.ts";
import { begin, guestOf, headless, report } from "./claude-session.ts";

const version = CLAUDE_VERSIONS[1];
const binary = await agentBinary(claudePackage(version));

/** The documents that are due, with the tasks of the design; where none is due, the code. */
const work = (sandbox: Sandbox): Turn => ({
  get calls(): readonly ScriptedCall[] {
    const { phase, item, outputs }: Json = sandbox.json(".isdlc/active");
    const documents: Record<string, string> = phase === "04-design" ? { [`${item}/tasks.md`]: TASKS } : {};
    for (const path of outputs.length === 0 ? ["src/a.txt"] : outputs) documents[path] ??= `# ${path}\n`;
    return Object.entries(documents).map(([path, content]) => ({ write: { path: join(sandbox.root, path), content } }));
  },
});

/** The person: sends the first phase back once, and says yes to everything else. */
async function decide(sandbox: Sandbox, { kind, id }: Json): Promise<void> {
  const isFirst = String(id).startsWith("00-quick-scan#1/");
  if (kind === "gate") await (isFirst ? sandbox.person("redo", "Name the file") : sandbox.person("continue"));
  else if (kind === "sizing") await sandbox.person("answer", "accept");
  else if (kind === "finish") await sandbox.person("answer", "merge");
  else throw new Error(`the run asks for ${kind}`);
}

describe.skipIf(!binary.ok)(`Claude Code ${version}`, () => {
  test("does a whole supervised feature by itself, with a redo, while the person decides", async () => {
    const start = ["feature", "Add a greeting", "--tests", "without"];
    const rules = (sandbox: Sandbox): Rule[] => {
      const turn = [work(sandbox), report(sandbox), { text: "Done." }];
      return [{ name: "work", when: { prompt: "Go on" }, turns: [begin, ...turn, ...turn], past: "repeat" }];
    };
    const guest = await guestOf(version, rules, start);
    const { sandbox } = guest;
    for (let run: Json = await sandbox.status(); run?.status !== undefined; run = await sandbox.status())
      if (run.waiting === null) await headless(guest, "Go on");
      else await decide(sandbox, run.waiting);
    const events = await sandbox.events();
    const ran = events.flatMap((event) =>
      event.type === "attempt.started" ? [`${event.phase}#${event.attempt}`] : [],
    );
    expect(ran.slice(0, 3)).toEqual(["00-quick-scan#1", "00-quick-scan#2", "01-requirements#1"]);
    expect(new Set(ran).size).toBe(ran.length);
    expect(ran.length).toBeGreaterThan(8);
    const told = guest.setup.model.calls.map(({ request }) => JSON.stringify(request.messages)).join("\n");
    expect(told).toContain("REDO GUIDANCE: Name the file");
    expect(sandbox.git("show", "main:src/a.txt")).toContain("# src/a.txt");
  });
});
