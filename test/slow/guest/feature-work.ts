import { join } from "node:path";
import { expect } from "vitest";
import { TASKS } from "../../items-cli/prepared-item.ts";
import type { ScriptedCall, Turn } from "../../stub-model/scenario.ts";
import type { Json, Sandbox } from "../../support/cli.ts";

export const FEATURE = ["feature", "Add a greeting", "--tests", "without"];

/** Writes the phase's documents, including the design's tasks, or the code if the phase has no document. */
export const featureWork = (sandbox: Sandbox): Turn => ({
  get calls(): readonly ScriptedCall[] {
    const { phase, item, outputs }: Json = sandbox.json(".isdlc/active");
    const documents: Record<string, string> = phase === "04-design" ? { [`${item}/tasks.md`]: TASKS } : {};
    for (const path of outputs.length === 0 ? ["src/a.txt"] : outputs) documents[path] ??= `# ${path}\n`;
    return Object.entries(documents).map(([path, content]) => ({ write: { path: join(sandbox.root, path), content } }));
  },
});

/** The user's decision: sends the first phase back once and accepts everything else. */
function decisionFor({ kind, id }: Json): string[] {
  const isFirst = String(id).startsWith("00-quick-scan#1/");
  if (kind === "gate") return isFirst ? ["redo", "Name the file"] : ["continue"];
  if (kind === "sizing") return ["answer", "accept"];
  if (kind === "finish") return ["answer", "merge"];
  throw new Error(`the run asks for ${kind}`);
}

export type FeatureDriver = {
  /** Lets the session work until the run waits. */
  readonly session: () => Promise<unknown>;
  /** Sends the user's answer. By default with their token. */
  readonly answer?: (words: readonly string[]) => Promise<unknown>;
};

/** Runs a whole supervised feature from gate to gate. `session` works on each attempt once. */
export async function throughFeature(sandbox: Sandbox, { session, answer }: FeatureDriver): Promise<void> {
  for (let run: Json = await sandbox.status(); run?.status !== undefined; run = await sandbox.status())
    if (run.waiting === null) await session();
    else await (answer ?? ((words) => sandbox.person(...words)))(decisionFor(run.waiting));
  const events = await sandbox.events();
  const ran = events.flatMap((event) => (event.type === "attempt.started" ? [`${event.phase}#${event.attempt}`] : []));
  expect(ran.slice(0, 3)).toEqual(["00-quick-scan#1", "00-quick-scan#2", "01-requirements#1"]);
  expect(new Set(ran).size).toBe(ran.length);
  expect(ran.length).toBeGreaterThan(8);
  expect(sandbox.git("show", "main:src/a.txt")).toContain("# src/a.txt");
}

/** Resolves as soon as the run has another wait than before, or has ended. */
export const moved = (sandbox: Sandbox, before: string | null): Promise<void> =>
  expect
    .poll(async () => readWaitId(await sandbox.status()), { timeout: 120_000, interval: 500 })
    .not.toSatisfy((wait: string | null) => wait === null || wait === before);

const readWaitId = (run: Json): string | null => (run?.status === undefined ? "ended" : (run.waiting?.id ?? null));
