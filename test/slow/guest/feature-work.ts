import { join } from "node:path";
import { expect } from "vitest";
import { TASKS } from "../../items-cli/prepared-item.ts";
import type { ScriptedCall, Turn } from "../../stub-model/scenario.ts";
import type { Json, Sandbox } from "../../support/cli.ts";

/** The documents that are due, with the tasks of the design; where none is due, the code. */
export const featureWork = (sandbox: Sandbox): Turn => ({
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

/** A whole supervised feature, whose phases are done by `session`, from one gate to the next; each attempt once. */
export async function throughFeature(sandbox: Sandbox, session: () => Promise<unknown>): Promise<void> {
  for (let run: Json = await sandbox.status(); run?.status !== undefined; run = await sandbox.status())
    if (run.waiting === null) await session();
    else await decide(sandbox, run.waiting);
  const events = await sandbox.events();
  const ran = events.flatMap((event) => (event.type === "attempt.started" ? [`${event.phase}#${event.attempt}`] : []));
  expect(ran.slice(0, 3)).toEqual(["00-quick-scan#1", "00-quick-scan#2", "01-requirements#1"]);
  expect(new Set(ran).size).toBe(ran.length);
  expect(ran.length).toBeGreaterThan(8);
}
