import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { systemProcessTable } from "../../../src/adapters/process/process-table.ts";
import type { Sandbox } from "../../support/cli.ts";

type Events = Awaited<ReturnType<Sandbox["events"]>>;

/** Fails if a process of any execution is still alive. */
export function expectNothingLeft(events: Events): void {
  const nonces = events.flatMap((event) => (event.type === "execution.started" ? [event.claim.nonce] : []));
  expect(nonces.length).toBeGreaterThan(3);
  const table = systemProcessTable();
  const left = table
    .all()
    .filter(({ pid }) => nonces.some((nonce) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`)));
  expect(left).toEqual([]);
}

/** Fails if the secret is in a file or in a git object. */
export function expectNoSecret(sandbox: Sandbox, secret: string): void {
  const files = readdirSync(sandbox.base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.some(({ name }) => name.endsWith(".log"))).toBe(true);
  const telling = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(secret));
  expect(telling).toEqual([]);
  expect(sandbox.git("log", "--all", "-p", "--format=%B")).not.toContain(secret);
}
