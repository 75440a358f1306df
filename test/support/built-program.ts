import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createFileLock } from "../../src/adapters/file-lock/file-lock.ts";
import { nodeFiles } from "../../src/adapters/file-system/file-system.ts";
import { systemLockProcesses } from "../../src/adapters/file-lock/lock-files.ts";

const repository = dirname(dirname(import.meta.dirname));
const BUILD_PATIENCE = 120_000; // milliseconds

let copied: Promise<string> | null = null;

/** The built program, once for each test process; a copy, so that a later build does not pull it away under a test. */
export const builtProgram = (): Promise<string> => (copied ??= copyProgram());

async function copyProgram(): Promise<string> {
  const place = { directory: tmpdir(), name: "isdlc-build", files: nodeFiles, processes: systemLockProcesses() };
  const lock = createFileLock(place);
  const held = await lock.acquire(BUILD_PATIENCE);
  try {
    execFileSync(process.execPath, [join(repository, "scripts/setup.mjs")], { stdio: ["ignore", "ignore", "pipe"] });
    const folder = mkdtempSync(join(tmpdir(), "isdlc-built-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    for (const part of ["dist/bin", "dist/web", "workflows", "agents", "templates", "demo", "plugin", "package.json"])
      cpSync(join(repository, part), join(folder, part), { recursive: true });
    return join(folder, "dist/bin/isdlc.cjs");
  } finally {
    held.release();
    lock.dispose();
  }
}
