import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export type ShellRun = {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
};

/** Lists the programs started by a shell command, with their descendants, in order. Null without strace. */
export function programsStarted({ command, cwd, env, input }: ShellRun): readonly string[] | null {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-started-"));
  const seen = join(folder, "seen");
  try {
    const tracing = ["-f", "-qq", "-s", "1", "-e", "trace=execve,execveat", "-e", "signal=none", "-o", seen];
    const { error, status } = spawnSync("strace", [...tracing, "sh", "-c", command], { cwd, env, input });
    if (error !== undefined || status !== 0) return null;
    const successful = /^\d+ +execve(?:at)?\("([^"]+)".* = 0$/;
    return readFileSync(seen, "utf8")
      .split("\n")
      .flatMap((line) => successful.exec(line)?.[1] ?? [])
      .map((path) => basename(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
