import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll } from "vitest";
import { builtProgram } from "./built-program.ts";
import { type Json, type Outcome, parsed, type Sandbox } from "./cli.ts";

const hostProgram = join(dirname(import.meta.dirname), "fixtures/agents/session-host.mjs");

/** An agent session in its own process, whose model runs commands. */
export type SessionHost = {
  readonly pid: number;
  run(argv: readonly string[], input?: string): Promise<Outcome>;
  isdlc(...args: string[]): Promise<Outcome>;
  begin(): Promise<Json>;
  /** Reports completed work, or the given result. */
  report(nonce: string, result?: Readonly<Record<string, unknown>>): Promise<Json>;
  /** Kills the session, like a crash. */
  kill(): Promise<void>;
};

const MARKS = { CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli" };

type SessionPlace = Pick<Sandbox, "root" | "env"> & {
  /** Program and arguments that start the session. */
  readonly under?: readonly string[];
};

export async function startSession(sandbox: SessionPlace, id: string): Promise<SessionHost> {
  const program = await builtProgram();
  const marks = { ...MARKS, CLAUDE_CODE_SESSION_ID: id };
  const [first, ...rest] = [...(sandbox.under ?? []), process.execPath, hostProgram, JSON.stringify(marks)];
  const child = spawn(first, rest, {
    cwd: sandbox.root,
    env: sandbox.env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = (): Promise<void> => (child.kill("SIGKILL"), ended);
  afterAll(kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const run = async (argv: readonly string[], input = ""): Promise<Outcome> => {
    child.stdin.write(`${JSON.stringify({ argv, input })}\n`);
    const { value } = await lines.next();
    return JSON.parse(String(value)) as Outcome;
  };
  const isdlc = (...args: string[]): Promise<Outcome> => run([process.execPath, program, ...args]);
  return {
    pid: child.pid ?? 0,
    run,
    isdlc,
    begin: async () => parsed(await isdlc("begin", "--json")),
    report: async (nonce, result = { status: "done", summary: "Done" }) =>
      parsed(await run([process.execPath, program, "report", "--json", "--nonce", nonce], JSON.stringify(result))),
    kill,
  };
}
