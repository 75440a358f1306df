import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "./support/team-database.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const folder = mkdtempSync(join(tmpdir(), "isdlc-bench-test-"));
const scratch = join(folder, "scratch");
afterAll(() => removeTemporary(folder));

describe.runIf(hasPostgres)("benchmark with its own server and database", () => {
  beforeAll(() => {
    mkdirSync(scratch);
    for (const one of [folder, scratch]) chmodSync(one, 0o711); // PostgreSQL may run as another user
  });

  test("reports a failure, stops its processes and exits at once", async () => {
    const git = join(folder, "git");
    writeFileSync(git, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const bench = startBench("team-git", `${folder}:${process.env["PATH"]}`);
    expect(await bench.ended).toEqual([1, null]);
    expect(bench.printed()).toContain("team-git could not run: Command failed: git");
    expect(leftBehind()).toEqual([]);
  });

  test("stops its processes if it is interrupted", async () => {
    const bench = startBench("team-gates", process.env["PATH"] ?? "");
    await expect.poll(leftBehind).toContainEqual(expect.stringContaining("isdlc-bench-postgres-"));
    bench.child.kill("SIGTERM");
    expect(await bench.ended).toEqual([1, null]);
    expect(leftBehind()).toEqual([]);
  });
});

function startBench(only: string, path: string) {
  const { NODE_OPTIONS: _options, NODE_EXTRA_CA_CERTS: _certificates, ...own } = process.env;
  const child = spawn(process.execPath, [join(root, "bench/run.mjs"), "--quick", "--only", only], {
    env: { ...own, PATH: path, TMPDIR: scratch },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")));
  return { child, ended: once(child, "close"), printed: () => printed };
}

/** Files under the scratch folder, and its folders used by a process. */
function leftBehind(): readonly string[] {
  const workedIn = readdirSync("/proc").flatMap((pid) => {
    try {
      return [readlinkSync(`/proc/${pid}/cwd`)];
    } catch {
      return []; // no process, or it exited
    }
  });
  return [...readdirSync(scratch), ...workedIn.filter((path) => path.startsWith(scratch))];
}
