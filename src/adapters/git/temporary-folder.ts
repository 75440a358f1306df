import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder only this user can enter (mkdtemp makes it 0700). */
export async function makeTemporaryFolder(): Promise<string> {
  return mkdtemp(join(await realpath(tmpdir()), "isdlc-"));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

export async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await use(folder);
  } finally {
    await removeFolder(folder);
  }
}
