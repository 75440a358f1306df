import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxOptions } from "../../src/adapters/sandbox/create-sandbox.ts";
import { createTestSandbox, createPlace, type SandboxFixture, play, type Ran } from "./sandbox-fixture.ts";

/** Something an agent tries in a place of its own. */
export type Attempt = {
  readonly promise: string;
  /** A deed that works without a sandbox; says "did it", or leaves something that `happened` finds. */
  readonly script: string;
  readonly happened?: (place: SandboxFixture, ran: Ran) => boolean;
  readonly prepare?: (place: SandboxFixture) => void;
  readonly access?: "read" | "write";
  readonly options?: (place: SandboxFixture) => Partial<SandboxOptions>;
};

/** Tries it, with or without the sandbox, and tells whether it worked. */
export async function happens(attempt: Attempt, isSandboxed: boolean): Promise<{ did: boolean; ran: Ran }> {
  const place = createPlace();
  attempt.prepare?.(place);
  const { access = "write", happened = saysSo } = attempt;
  const sandbox = isSandboxed ? createTestSandbox(place, attempt.options?.(place)) : undefined;
  const ran = await play(place, attempt.script, { access, sandbox });
  return { did: happened(place, ran), ran };
}

/** Whether that path is there now. */
export const there =
  (path: string) =>
  (place: SandboxFixture): boolean =>
    existsSync(join(place.base, path));

/** Whether that file is no longer what was put there. */
export const changed =
  (path: string) =>
  (place: SandboxFixture): boolean =>
    !existsSync(join(place.base, path)) || readFileSync(join(place.base, path), "utf8") !== "the person's\n";

const saysSo = (_place: SandboxFixture, { stdout }: Ran): boolean => stdout.includes("did it");
