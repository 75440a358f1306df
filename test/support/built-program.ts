import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { createFileLock } from "../../src/adapters/journal/file-lock.ts";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";

const repository = dirname(dirname(import.meta.dirname));
const BUILD_PATIENCE = 120_000; // milliseconds
/** One lock per clone: builds of other clones do not wait for each other. */
const LOCK_NAME = `isdlc-build-${createHash("sha256").update(repository).digest("hex").slice(0, 12)}`;

/** Copied in this order: if the last part exists, all do. */
const PARTS = [
  "dist/bin",
  "dist/web",
  "workflows",
  "agents",
  "templates",
  "demo",
  ".claude-plugin",
  "plugin",
  "package.json",
];

/** Copies the built program once for all tests of a suite. A later build does not replace the copy during a test. */
export async function builtProgram(): Promise<string> {
  const folder = inject("programFolder");
  if (!isCopied(folder)) await copyProgram(folder);
  return join(folder, "dist/bin/isdlc.cjs");
}

const isCopied = (folder: string): boolean => existsSync(join(folder, "package.json"));

async function copyProgram(folder: string): Promise<void> {
  const place = { directory: tmpdir(), name: LOCK_NAME, files: nodeFiles, processes: systemLockProcesses() };
  const lock = createFileLock(place);
  const held = await lock.acquire(BUILD_PATIENCE);
  try {
    if (isCopied(folder)) return;
    execFileSync(process.execPath, [join(repository, "scripts/setup.mjs")], { stdio: ["ignore", "ignore", "pipe"] });
    for (const part of PARTS) cpSync(join(repository, part), join(folder, part), { recursive: true });
  } finally {
    held.release();
    lock.dispose();
  }
}
