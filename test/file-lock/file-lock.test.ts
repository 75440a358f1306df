import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createFileLock, readHolder } from "../../src/adapters/journal/file-lock.ts";
import { type Holder, type LockLocation, systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";
import { bundleProgram, startProgram } from "../support/bundle-program.ts";

let program = "";
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, "programs", "hold-lock.ts"));
});

function newPlace(): LockLocation {
  const directory = mkdtempSync(join(tmpdir(), "isdlc-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { directory, name: "lock", files: nodeFiles, processes: systemLockProcesses() };
}

const self = systemLockProcesses().self();
const DEAD_NUMBER = 4_194_304 + 7; // Higher than any process id on Linux.
const holder = (differs: Partial<Holder>): Holder => ({
  token: "1-00000000000000aa",
  ...self,
  host: hostname(),
  ...differs,
});

describe("holder of a lock", () => {
  test("is one at a time, even within a process", async () => {
    const place = newPlace();
    const [first, second] = [createFileLock(place), createFileLock(place)];
    const held = first.tryAcquire();
    expect(held.ok).toBe(true);
    expect(second.tryAcquire()).toMatchObject({ ok: false, holder: { pid: process.pid } });
    expect(first.tryAcquire()).toMatchObject({ ok: false });
    const waiting = second.acquire(5000);
    if (held.ok) held.lock.release();
    (await waiting).release();
    expect(first.tryAcquire().ok).toBe(true);
    first.dispose();
    second.dispose();
    expect(readdirSync(place.directory)).toEqual([]);
  });

  test("is named in the problem after the time limit", async () => {
    const place = newPlace();
    createFileLock(place).tryAcquire();
    const busy = { code: "LOCK_BUSY", holder: `process ${process.pid} on ${hostname()}` };
    await expect(createFileLock(place).acquire(20)).rejects.toMatchObject({ problem: busy });
    expect(readHolder(place)?.pid).toBe(process.pid);
  });

  test.each<[string, string, boolean]>([
    ["an exited process", JSON.stringify(holder({ pid: DEAD_NUMBER })), true],
    ["a process whose id was reused", JSON.stringify(holder({ started: "12345" })), true],
    ["a process from before the last system start", JSON.stringify(holder({ boot: "another" })), true],
    ["an empty file, as after a power failure", "", true],
    ["a file of zeros", "\0".repeat(100), true],
    ["a file in another format", '{"token":"../../x","pid":1}', true],
    ["a running process", JSON.stringify(holder({})), false],
    ["a different machine", JSON.stringify(holder({ pid: DEAD_NUMBER, host: "elsewhere", boot: "another" })), false],
    ["an exited process under a former host name", JSON.stringify(holder({ pid: DEAD_NUMBER, host: "old" })), true],
    ["a process of another namespace", JSON.stringify(holder({ pid: DEAD_NUMBER, namespace: "pid:[1]" })), false],
  ])("is replaced only if it exited: %s", (_, content, free) => {
    const place = newPlace();
    writeFileSync(join(place.directory, "lock"), content);
    expect(readHolder(place) === null).toBe(free);
    const lock = createFileLock(place);
    expect(lock.tryAcquire().ok).toBe(free);
    lock.dispose();
    expect(existsSync(join(place.directory, "lock"))).toBe(!free);
  });

  test("is the running heir, but not one that exited early", () => {
    const place = newPlace();
    const dead = holder({ pid: DEAD_NUMBER, token: "7-00000000000000aa" });
    const heir = holder({ pid: DEAD_NUMBER + 1, token: "8-00000000000000bb" });
    writeFileSync(join(place.directory, "lock"), JSON.stringify(dead));
    writeFileSync(join(place.directory, `lock.steal.${dead.token}`), JSON.stringify({ ...heir, ...self }));
    expect(createFileLock(place).tryAcquire()).toMatchObject({ ok: false, holder: { token: heir.token } });
    writeFileSync(join(place.directory, `lock.steal.${dead.token}`), JSON.stringify(heir));
    expect(createFileLock(place).tryAcquire().ok).toBe(true);
    expect(readdirSync(place.directory).filter((name) => name.includes("steal"))).toEqual([]);
  });

  test("stays if another process took over first", () => {
    const place = newPlace();
    writeFileSync(join(place.directory, "lock"), JSON.stringify(holder({ pid: DEAD_NUMBER })));
    const faster = createFileLock(place);
    let won = false;
    // The other one takes over completely between our check of the holder and our action.
    const linkSync = (from: string, to: string): void => {
      if (to.includes("steal") && !won) won = faster.tryAcquire().ok;
      nodeFiles.linkSync(from, to);
    };
    const late = createFileLock({ ...place, files: { ...nodeFiles, linkSync: linkSync as typeof nodeFiles.linkSync } });
    expect(late.tryAcquire()).toMatchObject({ ok: false });
    expect(won).toBe(true);
    expect(readdirSync(place.directory).filter((name) => name.includes("steal"))).toEqual([]);
    late.dispose();
    expect(faster.holder()?.pid).toBe(process.pid);
  });

  test("keeps its files, while files of exited processes are deleted", () => {
    const place = newPlace();
    const living = `lock.${process.pid}-00000000000000cc`;
    const unwritten = `lock.${process.pid}-00000000000000dd`;
    writeFileSync(join(place.directory, "lock.9-00000000000000aa"), JSON.stringify(holder({ pid: DEAD_NUMBER })));
    writeFileSync(join(place.directory, `lock.${DEAD_NUMBER}-00000000000000bb`), "");
    writeFileSync(join(place.directory, "lock.steal.9-00000000000000aa"), "");
    writeFileSync(join(place.directory, living), JSON.stringify(holder({})));
    writeFileSync(join(place.directory, unwritten), "");
    writeFileSync(join(place.directory, "lock.json"), "not ours");
    const lock = createFileLock(place);
    lock.tryAcquire();
    lock.dispose();
    expect(readdirSync(place.directory).sort()).toEqual([living, unwritten, "lock.json"].sort());
  });

  test("is separate for two locks in one folder", () => {
    const place = newPlace();
    expect(createFileLock(place).tryAcquire().ok).toBe(true);
    expect(createFileLock({ ...place, name: "driver" }).tryAcquire().ok).toBe(true);
  });
});

describe("lock between processes", () => {
  test("passes to the next process when the holder is killed, long before the timeout", async () => {
    const place = newPlace();
    const other = startProgram(program, [place.directory, "hold"]);
    expect(await other.line()).toBe("held");
    const lock = createFileLock(place);
    expect(lock.tryAcquire()).toMatchObject({ ok: false, holder: { pid: other.child.pid } });
    const waiting = lock.acquire(60_000);
    other.child.kill("SIGKILL");
    const began = performance.now();
    (await waiting).release();
    expect(performance.now() - began).toBeLessThan(30_000); // A tenth of a second on an idle machine.
    lock.dispose();
    await other.finished;
    expect(readdirSync(place.directory)).toEqual([]);
  });

  test("leaves no file after its holder exits", async () => {
    const place = newPlace();
    writeFileSync(join(place.directory, "go"), "");
    await startProgram(program, [place.directory, "1"]).finished;
    expect(readdirSync(place.directory)).toEqual(["go"]);
  });

  test("never has two holders when sixteen processes find an exited one", async () => {
    const place = newPlace();
    writeFileSync(join(place.directory, "lock"), JSON.stringify(holder({ pid: DEAD_NUMBER })));
    const others = Array.from({ length: 16 }, () => startProgram(program, [place.directory, "5"]));
    await Promise.all(others.map((other) => other.line()));
    writeFileSync(join(place.directory, "go"), "");
    const said = (await Promise.all(others.map((other) => other.finished))).flatMap(({ lines }) => lines.slice(1));
    expect(said).toEqual(Array.from({ length: 80 }, () => "one"));
    expect(readdirSync(place.directory)).toEqual(["go"]);
  });

  test("has a stable identity for a running process", () => {
    expect(systemLockProcesses().isAlive(self)).toBe(true);
    expect(self.started).toBe(
      existsSync("/proc/self/stat")
        ? readFileSync(`/proc/${process.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19]
        : "",
    );
  });
});
