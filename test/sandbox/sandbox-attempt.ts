import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxOptions } from "../../src/adapters/sandbox/create-sandbox.ts";
import { createTestSandbox, createPlace, type SandboxFixture, play, type Ran } from "./sandbox-fixture.ts";

/** An action that an agent tries in a separate fixture. */
export type Attempt = {
  readonly promise: string;
  /** A script that works without a sandbox. It prints "did it", or leaves a result that `happened` detects. */
  readonly script: string;
  readonly happened?: (place: SandboxFixture, ran: Ran) => boolean;
  readonly prepare?: (place: SandboxFixture) => void;
  readonly access?: "read" | "write";
  readonly options?: (place: SandboxFixture) => Partial<SandboxOptions>;
};

/** Tries it, with or without the sandbox, and returns if it worked. */
export async function happens(attempt: Attempt, isSandboxed: boolean): Promise<{ did: boolean; ran: Ran }> {
  const place = createPlace();
  attempt.prepare?.(place);
  const { access = "write", happened = saysSo } = attempt;
  const sandbox = isSandboxed ? createTestSandbox(place, attempt.options?.(place)) : undefined;
  const ran = await play(place, attempt.script, { access, sandbox });
  return { did: happened(place, ran), ran };
}

/** True if the path exists. */
export const there =
  (path: string) =>
  (place: SandboxFixture): boolean =>
    existsSync(join(place.base, path));

/** True if the file differs from its original content. */
export const changed =
  (path: string) =>
  (place: SandboxFixture): boolean =>
    !existsSync(join(place.base, path)) || readFileSync(join(place.base, path), "utf8") !== "the person's\n";

const saysSo = (_place: SandboxFixture, { stdout }: Ran): boolean => stdout.includes("did it");
