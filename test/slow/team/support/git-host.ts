import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { basename, dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { createLineProxy } from "./line-proxy.ts";

/** A git host in front of a bare repository, in a separate process. */
export type GitHost = {
  readonly url: string;
  cut(): void;
  restore(): void;
  /** Lets the host answer and reject pushes. */
  setReadOnly(isReadOnly: boolean): void;
};

/** Ends each host of a test file. Registered once, as a running test cannot register it. */
const ends: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(ends.splice(0).map((end) => end())));

export async function startGitHost(remote: string): Promise<GitHost> {
  const port = await freePort();
  const serving = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1", `--port=${port}`];
  const daemon = spawn("git", ["daemon", ...serving, `--base-path=${dirname(remote)}`], {
    stdio: "ignore",
    detached: true, // git starts the daemon as its child; both are ended
  });
  const line = await createLineProxy(`http://127.0.0.1:${port}`);
  ends.push(async () => {
    await line.close();
    const ended = once(daemon, "exit");
    process.kill(-(daemon.pid ?? 0), "SIGTERM");
    await ended;
  });
  const url = `git://127.0.0.1:${new URL(line.url).port}/${basename(remote)}`;
  await expect.poll(() => listsRefs(url), { timeout: 20_000 }).toBe(true);
  const hook = join(remote, "hooks", "pre-receive");
  return {
    url,
    cut: () => line.cut(),
    restore: () => line.restore(),
    setReadOnly(isReadOnly) {
      if (!isReadOnly) return rmSync(hook, { force: true });
      writeFileSync(hook, "#!/bin/sh\necho 'fatal: unable to write: Read-only file system' >&2\nexit 1\n", {
        mode: 0o755,
      });
    },
  };
}

/** Asynchronous: the proxy runs in this process. */
const listsRefs = (url: string): Promise<boolean> =>
  promisify(execFile)("git", ["ls-remote", url]).then(
    () => true,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
