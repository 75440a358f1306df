import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSandbox, type Outcome, type Sandbox } from "../../../support/cli.ts";

export type AgentStart = {
  readonly program: string;
  readonly model: string | null;
  readonly phase: string;
  readonly role: "phase" | "reviewer";
};

export type Machine = Sandbox & {
  readonly bin: string;
  /** Every start in order, like `phase 04-design: claude:opus`. */
  started(): readonly string[];
  set(settings: object): void;
};

const fakeAgent = join(import.meta.dirname, "fake-agent.mjs");

/** A user with only these agents, git and Node on the PATH. */
export async function machineWith(...agents: string[]): Promise<Machine> {
  const sandbox = await createSandbox();
  const bin = join(sandbox.base, "bin");
  const log = join(sandbox.base, "starts.jsonl");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync(execFileSync("which", ["git"], { encoding: "utf8" }).trim(), join(bin, "git"));
  for (const name of agents) install(bin, name);
  const machine = { PATH: bin };
  const start: Sandbox["start"] = (args, more = {}) => sandbox.start(args, { ...machine, ...more });
  const run = (args: readonly string[], more?: Readonly<Record<string, string>>): Promise<Outcome> =>
    start(args, more).ended;
  return {
    ...sandbox,
    bin,
    start,
    script: (...args) => run(args),
    person: (...args) => run(args, { ISDLC_OPERATOR_TOKEN: sandbox.token }),
    started: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(told) : []),
    set: (settings) => writeFileSync(join(sandbox.config, "config.json"), JSON.stringify(settings)),
  };
}

export function install(bin: string, name: string): void {
  copyFileSync(fakeAgent, join(bin, name));
  chmodSync(join(bin, name), 0o755);
}

function told(line: string): string {
  const { program, model, phase, role } = JSON.parse(line) as AgentStart;
  return `${role} ${phase}: ${model === null ? program : `${program}:${model}`}`;
}
