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
const DEAD_NUMBER = 4_194_304 + 7; // above every number Linux gives out
const holder = (differs: Partial<Holder>): Holder => ({
  token: "1-00000000000000aa",
  ...self,
  host: hostname(),
  ...differs,
});

describe("whose lock it is", () => {
  test("one at a time, again and again, within one process too", async () => {
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

  test("whoever waits too long is told who holds it", async () => {
    const place = newPlace();
    createFileLock(place).tryAcquire();
    const busy = { code: "LOCK_BUSY", holder: `process ${process.pid} on ${hostname()}` };
    await expect(createFileLock(place).acquire(20)).rejects.toMatchObject({ problem: busy });
    expect(readHolder(place)?.pid).toBe(process.pid);
  });

  test.each<[string, string, boolean]>([
    ["a process that is gone", JSON.stringify(holder({ pid: DEAD_NUMBER })), true],
    ["a process whose number was given to another", JSON.stringify(holder({ started: "12345" })), true],
    ["a process from before the last start of the machine", JSON.stringify(holder({ boot: "another" })), true],
    ["nobody: emptied by a power cut", "", true],
    ["nobody: zeros", "\0".repeat(100), true],
    ["nobody: another form", '{"token":"../../x","pid":1}', true],
    ["a living process", JSON.stringify(holder({})), false],
    ["another machine", JSON.stringify(holder({ pid: DEAD_NUMBER, host: "elsewhere", boot: "another" })), false],
    [
      "a dead process under an old name of this machine",
      JSON.stringify(holder({ pid: DEAD_NUMBER, host: "old" })),
      true,
    ],
    ["a process of another namespace", JSON.stringify(holder({ pid: DEAD_NUMBER, namespace: "pid:[1]" })), false],
  ])("a lock of %s", (_, content, free) => {
    const place = newPlace();
    writeFileSync(join(place.directory, "lock"), content);
    expect(readHolder(place) === null).toBe(free);
    const lock = createFileLock(place);
    expect(lock.tryAcquire().ok).toBe(free);
    lock.dispose();
    expect(existsSync(join(place.directory, "lock"))).toBe(!free);
  });

  test("an heir that died before the lock was its own is passed over, a living one is waited for", () => {
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

  test("whoever comes late to a dead holder's lock finds it taken over, and leaves it", () => {
    const place = newPlace();
    writeFileSync(join(place.directory, "lock"), JSON.stringify(holder({ pid: DEAD_NUMBER })));
    const faster = createFileLock(place);
    let won = false;
    // The other one takes over completely after we judged the holder dead, and before we act on it.
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

  test("what ended processes left is swept, what living ones need is kept", () => {
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

  test("two locks of one folder do not know each other", () => {
    const place = newPlace();
    expect(createFileLock(place).tryAcquire().ok).toBe(true);
    expect(createFileLock({ ...place, name: "driver" }).tryAcquire().ok).toBe(true);
  });
});

describe("between processes", () => {
  test("when the holder is killed the next one has it, long before its patience ends", async () => {
    const place = newPlace();
    const other = startProgram(program, [place.directory, "hold"]);
    expect(await other.line()).toBe("held");
    const lock = createFileLock(place);
    expect(lock.tryAcquire()).toMatchObject({ ok: false, holder: { pid: other.child.pid } });
    const waiting = lock.acquire(60_000);
    other.child.kill("SIGKILL");
    const began = performance.now();
    (await waiting).release();
    expect(performance.now() - began).toBeLessThan(30_000); // a tenth of a second, on a machine that does nothing else
    lock.dispose();
    await other.finished;
    expect(readdirSync(place.directory)).toEqual([]);
  });

  test("a holder that ends by itself leaves nothing", async () => {
    const place = newPlace();
    writeFileSync(join(place.directory, "go"), "");
    await startProgram(program, [place.directory, "1"]).finished;
    expect(readdirSync(place.directory)).toEqual(["go"]);
  });

  test("sixteen processes that find a dead holder at once are never two inside", async () => {
    const place = newPlace();
    writeFileSync(join(place.directory, "lock"), JSON.stringify(holder({ pid: DEAD_NUMBER })));
    const others = Array.from({ length: 16 }, () => startProgram(program, [place.directory, "5"]));
    await Promise.all(others.map((other) => other.line()));
    writeFileSync(join(place.directory, "go"), "");
    const said = (await Promise.all(others.map((other) => other.finished))).flatMap(({ lines }) => lines.slice(1));
    expect(said).toEqual(Array.from({ length: 80 }, () => "one"));
    expect(readdirSync(place.directory)).toEqual(["go"]);
  });

  test("who we are is the same each time, and we are alive", () => {
    expect(systemLockProcesses().isAlive(self)).toBe(true);
    expect(self.started).toBe(
      existsSync("/proc/self/stat")
        ? readFileSync(`/proc/${process.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19]
        : "",
    );
  });
});
