import { rmSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder only this user can enter (mkdtemp makes it 0700). */
export async function makeTemporaryFolder(): Promise<string> {
  return mkdtemp(join(await realpath(tmpdir()), "isdlc-"));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  lasting.delete(folder);
}

const lasting = new Set<string>();
let isListening = false;

/** For a folder that is used until this program ends. */
export function removeAtExit(folder: string): string {
  if (!isListening) process.once("exit", removeLasting);
  isListening = true;
  lasting.add(folder);
  return folder;
}

function removeLasting(): void {
  for (const folder of lasting) rmSync(folder, { recursive: true, force: true });
}

export async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await use(folder);
  } finally {
    await removeFolder(folder);
  }
}
