import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemProcessTable } from "../../../../src/adapters/process/process-table.ts";
import {
  startAgentProcess,
  type AgentProcessEnd,
  type AgentProcessOptions,
} from "../../../../src/adapters/process/start-agent-process.ts";

const agents = join(import.meta.dirname, "../../../fixtures/agents");
const table = systemProcessTable();
let count = 0;

type Ran = AgentProcessEnd & { readonly lines: string[]; readonly nonce: string };

/** Runs Node source code, or a fixture with arguments. */
async function run(program: string | string[], more: Partial<AgentProcessOptions> = {}, signal?: AbortSignal) {
  const lines: string[] = [];
  const nonce = `test-${process.pid}-${(count += 1)}`;
  const [file = "", ...args] = program;
  const argv = typeof program === "string" ? ["-e", program] : [join(agents, file), ...args];
  const onLine = more.onLine ?? (({ text }) => lines.push(text));
  const base = { argv: [process.execPath, ...argv], cwd: "/", env: process.env, nonce, stdin: "", silenceSeconds: 20 };
  const end = await startAgentProcess({ ...base, ...more, onLine }, signal ?? new AbortController().signal);
  return { ...end, lines, nonce } satisfies Ran;
}

const alive = (pid: number): boolean => table.one(pid) !== null;

describe("agent process", () => {
  test("reads its input and returns lines and exit code", async () => {
    const program = `process.stdin.on("data", (d) => console.log("got " + d)).on("end", () => process.exit(7))`;
    const ran = await run(program, { stdin: "hällo" });
    expect(ran).toMatchObject({ ended: "exit", exitCode: 7, signal: null, lines: ["got hällo"], left: [] });
  });

  test("inherits only the markers of its execution [S11]", async () => {
    const env = { PATH: process.env["PATH"], KEPT: "yes", ISDLC_OPERATOR_TOKEN: "isdlc_x", isdlc_lower: "1" };
    const ran = await run(`console.log(JSON.stringify(process.env))`, { env, nonce: "n-1" });
    const seen = JSON.parse(ran.lines.join("")) as Record<string, string>;
    const ours = Object.entries(seen).filter(([name]) => /^isdlc/i.test(name));
    expect(Object.fromEntries(ours)).toEqual({ ISDLC_AGENT: "1", ISDLC_NONCE: "n-1" });
    expect(seen["KEPT"]).toBe("yes");
  });

  test("leads a new session and process group without a terminal", async () => {
    let seen: unknown;
    const onStarted = (pid: number): void => void (seen = table.one(pid));
    await run(`setTimeout(() => {}, 50)`, { onStarted });
    const { pid } = seen as { pid: number };
    expect(seen).toMatchObject({ group: pid, session: pid, terminal: null });
  });

  test("can exit without reading 4 MB of input", async () => {
    const ran = await run(`process.exit(0)`, { stdin: "x".repeat(4_000_000) });
    expect(ran).toMatchObject({ ended: "exit", exitCode: 0 });
  });

  test("receives arguments unchanged, without a shell", async () => {
    const odd = "$(touch /tmp/owned); `id` | cat 'x \"y";
    const ran = await run("", { argv: [process.execPath, "-e", "console.log(process.argv[1])", odd] });
    expect(ran.lines).toEqual([odd]);
  });

  test("keeps only the end of a long stderr", async () => {
    const ran = await run(`process.stderr.write("e".repeat(5_000_000) + "last words")`);
    expect(ran.stderrTail.endsWith("last words")).toBe(true);
    expect(ran.stderrTail.length).toBeLessThan(20_000);
  });
});

test.each([
  ["a missing program", { argv: ["/nowhere/at-all"] }],
  ["an empty command", { argv: [] }],
  ["a missing working directory", { cwd: "/nowhere" }],
  ["an argument with a NUL byte", { argv: [process.execPath, "a\0b"] }],
])("reports %s as not started", async (_, more) => {
  const ran = await run("", more);
  expect(ran).toMatchObject({ ended: "notStarted", exitCode: null, left: [] });
  expect(ran.stderrTail).not.toBe("");
});

describe("limits of an agent process [R9]", () => {
  test.each(["stdout", "stderr"])("ends a silent process, and counts output on %s as activity", async (stream) => {
    const program = `
      let n = 0;
      const tick = setInterval(() => { process.${stream}.write("."); if (++n === 8) clearInterval(tick) }, 100);
      setInterval(() => {}, 1000)`;
    const began = performance.now();
    const ran = await run(program, { silenceSeconds: 0.5 });
    expect(ran.ended).toBe("silent");
    expect(performance.now() - began).toBeGreaterThan(1200);
  });

  test("kills an aborted process that ignores SIGTERM", async () => {
    const abort = new AbortController();
    const ran = await run(["stubborn.mjs"], { onLine: () => abort.abort() }, abort.signal);
    expect(ran).toMatchObject({ ended: "aborted", exitCode: null, signal: "SIGKILL", left: [] });
  });

  test("waits for an aborted process that exits on SIGTERM", async () => {
    const abort = new AbortController();
    const program = `process.on("SIGTERM", () => setTimeout(() => process.exit(3), 100)); setInterval(() => {}, 1000); console.log("up")`;
    const ran = await run(program, { onLine: () => abort.abort() }, abort.signal);
    expect(ran).toMatchObject({ ended: "aborted", exitCode: 3 });
  });

  test("starts nothing if it was aborted before", async () => {
    const ran = await run(`console.log("ran")`, {}, AbortSignal.abort());
    expect(ran).toMatchObject({ ended: "aborted", lines: [] });
  });

  test("waits for a process that closed its output and still works", async () => {
    const ran = await run(["closes-output.mjs", "600"]);
    expect(ran).toMatchObject({ ended: "exit", exitCode: 0, lines: ["before"] });
  });

  test("ends a silent process that closed its output", async () => {
    const ran = await run(["closes-output.mjs", "60000"], { silenceSeconds: 0.5 });
    expect(ran.ended).toBe("silent");
  });
});

describe("endless output [R9, S14]", () => {
  test("bounds memory for 200 MB without a newline and still reads the next line", async () => {
    const lines: { length: number; cut: boolean }[] = [];
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 20);
    const onLine: AgentProcessOptions["onLine"] = ({ text, cut }) => lines.push({ length: text.length, cut });
    const ran = await run(["flood.mjs", "200"], { onLine });
    clearInterval(watch);
    expect(ran).toMatchObject({ ended: "exit", exitCode: 0 });
    expect(lines).toEqual([
      { length: 8 * 1024 * 1024, cut: true },
      { length: 7, cut: false },
    ]);
    expect(most).toBeLessThan(120 * 1024 * 1024);
  });

  test("ends a process that exceeds the output limit", async () => {
    const ran = await run(["flood.mjs", "50"], { outputLimit: 1024 * 1024, lineLimit: 100 });
    expect(ran).toMatchObject({ ended: "flooded", left: [] });
  });
});

describe.concurrent("descendants of an agent process [R9]", () => {
  test.each(["sameGroup", "ownSession", "scrubbed", "holdsOutput", "doubleFork"])(
    "ends a child that outlives the leader: %s",
    async (way) => {
      const ran = await run(["leaves-child.mjs", way]);
      const pid = Number(ran.lines[0]);
      expect(pid).toBeGreaterThan(1);
      expect(ran).toMatchObject({ ended: "exit", exitCode: 0, left: [] });
      expect(alive(pid)).toBe(false);
    },
  );

  test("ends a detached child that was seen while the leader lived", async () => {
    const ran = await run(["leaves-child.mjs", "escapes", "2500"]);
    expect(alive(Number(ran.lines[0]))).toBe(false);
  });

  test("misses a child that detaches completely before the first scan (documented limit)", async () => {
    const ran = await run(["leaves-child.mjs", "escapes"]);
    const pid = Number(ran.lines[0]);
    expect(alive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  test("ends living descendants together with the leader", async () => {
    const abort = new AbortController();
    const pids: number[] = [];
    const onLine: AgentProcessOptions["onLine"] = ({ text }) => {
      pids.push(Number(text));
      abort.abort();
    };
    await run(["leaves-child.mjs", "escapes", "60000"], { onLine }, abort.signal);
    expect(pids.filter(alive)).toEqual([]);
    expect(pids).toHaveLength(1);
  });
});
