import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../../src/core/command.ts";
import type { Processes } from "../../../src/ports/processes.ts";

/** Records the nonces of a drive's processes before they start. */
export type DriveClaims = { note(command: Command): void; forget(): void };

export type ClaimNotes = {
  begin(): DriveClaims;
  /**
   * Ends processes orphaned by a killed worker in this folder, and removes its working trees. Returns the number of
   * recorded executions.
   */
  sweep(): Promise<number>;
};

const NONCE = /^[A-Za-z0-9_-]{8,100}$/;

/** Agents outlive a killed worker. The next worker in the same folder ends them. */
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
