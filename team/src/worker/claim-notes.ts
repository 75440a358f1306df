import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../../src/core/command.ts";
import type { Processes } from "../../../src/ports/processes.ts";

/** Notes the marks that the processes of one drive carry, before they are started. */
export type DriveClaims = { note(command: Command): void; forget(): void };

export type ClaimNotes = {
  begin(): DriveClaims;
  /** Ends what a worker that was killed left behind in this folder. Gives how many executions it had noted. */
  sweep(): Promise<number>;
};

const NONCE = /^[A-Za-z0-9_-]{8,100}$/;

/** Agents outlive a worker that is killed. Whoever starts in the same folder next ends them. */
export function createClaimNotes(data: string, processes: Pick<Processes, "endAll">): ClaimNotes {
  const folder = join(data, "claims");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    begin() {
      const noted: string[] = [];
      return {
        note(command) {
          if (command.do !== "report" || command.outcome.of !== "claim" || !("claim" in command.outcome)) return;
          const { nonce } = command.outcome.claim;
          if (!NONCE.test(nonce)) return;
          writeFileSync(join(folder, nonce), "");
          noted.push(nonce);
        },
        forget() {
          for (const nonce of noted) rmSync(join(folder, nonce), { force: true });
        },
      };
    },
    async sweep() {
      const noted = readdirSync(folder).filter((name) => NONCE.test(name));
      for (const nonce of noted) {
        await processes.endAll(nonce);
        rmSync(join(folder, nonce), { force: true });
      }
      rmSync(join(data, "trees"), { recursive: true, force: true });
      return noted.length;
    },
  };
}
