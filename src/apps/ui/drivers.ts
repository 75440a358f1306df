import { spawn } from "node:child_process";
import { join } from "node:path";
import type { RunId } from "../../schema/ids.ts";
import { plainText } from "../../views/plain-text.ts";
import type { LocatedProject } from "./repository.ts";

/** Characters of what a driver said that are kept for the person. */
const MAX_KEPT = 4000;

export type Drivers = {
  /** Has the run driven by a program of its own, which lives on when the page is closed. */
  continueRun(located: LocatedProject, run: RunId): void;
  /** What the last driver that this page started for a run ended with, where that was a problem. */
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
      child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString("utf8")).slice(-MAX_KEPT)));
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

/** Exit code of a run that waits for a person again. */
const RESTS = 3;

const program = (): string => join(import.meta.dirname, "isdlc.cjs");

/** Problems are told last: a line with the code, and one with what fixes it. */
const lastProblem = (said: string): string => plainText(said).trim().split("\n").slice(-2).join("\n");
