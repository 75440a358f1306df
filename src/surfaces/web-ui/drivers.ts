import { spawn } from "node:child_process";
import { join } from "node:path";
import type { RunId } from "../../schema/ids.ts";
import { plainText } from "../../views/plain-text.ts";
import type { LocatedProject } from "./repository.ts";

/** Maximum length of a driver's saved error output, in characters. */
const MAX_KEPT_OUTPUT = 4000;

export type Drivers = {
  /** Starts a separate process to drive the run. It continues after the web UI is closed. */
  continueRun(located: LocatedProject, run: RunId): void;
  /** Returns the error of the last driver that this server started for a run, if it failed. */
  troubleOf(run: RunId): string | null;
};

export function createDrivers(onEnd: (run: RunId) => void): Drivers {
  const troubles = new Map<RunId, string>();
  return {
    continueRun({ project, place }, run) {
      troubles.delete(run);
      const item = place.item === null ? [] : ["--item", place.item];
      const child = spawn(process.execPath, [program(), "-C", project.root, "resume", ...item], {
        cwd: project.root,
        env: project.env,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString("utf8")).slice(-MAX_KEPT_OUTPUT)));
      child.on("error", (error) => (said = error.message));
      child.on("close", (code) => {
        if (code !== 0 && code !== RESTS) troubles.set(run, lastProblem(said));
        onEnd(run);
      });
      child.unref();
    },
    troubleOf: (run) => troubles.get(run) ?? null,
  };
}

/** Exit code of a run that waits for the user again. */
const RESTS = 3;

const program = (): string => join(import.meta.dirname, "isdlc.cjs");

/** Returns the last two lines of the output: the code of the problem, and its fix. */
const lastProblem = (said: string): string => plainText(said).trim().split("\n").slice(-2).join("\n");
