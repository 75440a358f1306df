import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { createProcesses } from "../../src/adapters/process/create-processes.ts";
import { procFileTable, psTable, type ProcessFacts } from "../../src/adapters/process/process-table.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const started: ChildProcess[] = [];
const FOREVER = `setInterval(() => {}, 1000); console.log("up")`;
const STUBBORN = `process.on("SIGTERM", () => {}); ${FOREVER}`;

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

async function startCarrier(nonce: string, source = FOREVER): Promise<ChildProcess> {
  const env = { ...process.env, ISDLC_NONCE: nonce };
  const child = spawn(process.execPath, ["-e", source], { env, stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  await once(child.stdout, "data");
  return child;
}

test("ends processes even if a scan exceeds the timeout [R9]", async () => {
  const table = procFileTable();
  const nonce = `slow-${process.pid}`;
  const carrier = await startCarrier(nonce, STUBBORN);
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    let looks = 0;
    const all = (): readonly ProcessFacts[] => {
      if (looks++ === 0) vi.advanceTimersByTime(60_000); // Only once: a killed process may need a moment to exit.
      return table.all();
    };
    await createProcesses({ ...table, all }).endAll(nonce);
  } finally {
    vi.useRealTimers();
  }
  expect(table.one(carrier.pid!)).toBeNull();
});

describe.each([
  ["/proc", procFileTable()],
  ["ps", psTable()],
])("processes read from %s", (_, table) => {
  const processes = createProcesses(table);

  test("include this one with the system's values", () => {
    const { pid, started, boot } = processes.self();
    expect([pid, started, boot]).toEqual([process.pid, table.one(process.pid)?.started, table.boot()]);
  });

  test("are ended if they have the nonce, even those that ignore SIGTERM [R9]", async () => {
    const nonce = `nonce-${process.pid}-${_.length}`;
    const [first, stubborn, longer, other] = await Promise.all([
      startCarrier(nonce),
      startCarrier(nonce, STUBBORN),
      startCarrier(`${nonce}-more`),
      startCarrier("other"),
    ]);
    await processes.endAll(nonce);
    const alive = [first, stubborn, longer, other].map((child) => table.one(child.pid!) !== null);
    expect(alive).toEqual([false, false, true, true]);
  });

  test("have wall-clock start times", () => {
    const at = table.startedAt(table.one(process.pid)!)!;
    expect(Math.abs(at - (Date.now() - process.uptime() * 1000))).toBeLessThan(3000);
  });
});

test("ends child processes, but not this process and its ancestors", async () => {
  const real = procFileTable();
  const child = await startCarrier("unused");
  const lineage = new Set<number>([1]);
  for (let facts: ProcessFacts | null = real.one(process.pid); facts !== null; facts = real.one(facts.parent)) {
    lineage.add(facts.pid);
  }
  const environment = (pid: number): string[] =>
    lineage.has(pid) || pid === child.pid ? ["A=b", "ISDLC_NONCE=mine"] : [];
  const all = (): ProcessFacts[] => [...lineage, child.pid!].flatMap((pid) => real.one(pid) ?? []);
  await createProcesses({ ...real, all, environment }).endAll("mine");
  expect(real.one(child.pid!)).toBeNull();
  expect(real.one(process.ppid)).not.toBeNull();
});

test("examines and ends only processes started after the driver", async () => {
  const real = procFileTable();
  const asked: number[] = [];
  const environment = (pid: number): readonly string[] | null => {
    asked.push(pid);
    return real.environment(pid);
  };
  const processes = createProcesses({ ...real, environment });
  const older = await startCarrier("of-the-driver");
  const { pid, started } = await startedLater(older.pid!);
  const younger = await startCarrier("of-the-driver");

  await processes.endAll("of-the-driver", { pid, started, boot: real.boot() });
  expect([older, younger].map((child) => real.one(child.pid!) !== null)).toEqual([true, false]);
  expect(asked).toContain(younger.pid);
  expect(asked).not.toContain(older.pid);

  await processes.endAll("of-the-driver", { pid, started, boot: "of another start of the machine" });
  expect(real.one(older.pid!)).toBeNull();
});

/** Start times have a resolution of 10 ms. */
async function startedLater(than: number): Promise<ProcessFacts> {
  const real = procFileTable();
  for (;;) {
    const facts = real.one((await startCarrier("unused")).pid!)!;
    if (real.isOlder(real.one(than)!, facts.started)) return facts;
  }
}

describe("processes that started earlier", () => {
  const place = mkdtempSync(join(tmpdir(), "isdlc-proc-"));
  afterAll(() => removeTemporary(place));
  const folderOf = (pid: number): string => join(place, String(pid));
  const tell = (pid: number, began: number, parent = 0): void => {
    mkdirSync(folderOf(pid), { recursive: true });
    const between = Array.from({ length: 14 }, () => "0").join(" ");
    writeFileSync(join(folderOf(pid), "stat"), `${pid} (name) S ${parent} ${pid} ${pid} 0 ${between} ${began} 0`);
  };
  const table = procFileTable(place);
  const told = (since: string | null): readonly (readonly [number, string, number])[] =>
    table.all(since).map(({ pid, started: began, parent }) => [pid, began, parent]);

  test("are read once, and newer ones each time", () => {
    tell(10, 100);
    tell(20, 300);
    expect(told("200")).toEqual([
      [10, "100", 0],
      [20, "300", 0],
    ]);
    tell(10, 100, 7);
    tell(20, 300, 7);
    tell(30, 400);
    expect(told("200")).toEqual([
      [10, "100", 0],
      [20, "300", 7],
      [30, "400", 0],
    ]);
    expect(told(null)[0]).toEqual([10, "100", 7]);
  });

  test("are read again if their id was reused [R5]", () => {
    tell(10, 100);
    told("200");
    renameSync(folderOf(10), join(place, "gone"));
    tell(10, 500);
    expect(told("200")).toContainEqual([10, "500", 0]);
  });

  test("are read again if their parent exited [R5]", () => {
    tell(40, 50);
    tell(50, 100, 40);
    told("250");
    renameSync(folderOf(40), join(place, "gone-parent"));
    tell(40, 600);
    tell(50, 100, 1);
    expect(told("250")).toContainEqual([50, "100", 1]);
  });

  test("are removed after they exited", () => {
    tell(10, 100);
    told("200");
    rmSync(folderOf(10), { recursive: true });
    expect(told("200").map(([pid]) => pid)).not.toContain(10);
  });
});

test("parses process names with brackets and spaces", async () => {
  const source = `process.title = "x) R 1 1 1 ("; ${FOREVER}`;
  const child = await startCarrier("unused", source);
  expect(procFileTable().one(child.pid!)).toMatchObject({ pid: child.pid, parent: process.pid });
});
