import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { ProblemError } from "../../core/problem.ts";
import type { OperatorTokens, TokenCheck } from "../../ports/callers.ts";
import { nodeFiles, readSmall, replaceFile } from "../files/file-system.ts";

const TokenFile = z.object({
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  created_at: z.iso.datetime(),
});
type TokenFile = z.infer<typeof TokenFile>;

const PREFIX = "isdlc_";
const TOKEN_SECRET_BYTES = 32;
const MAX_TOKEN_FILE_BYTES = 4096; // bytes

export const createOperatorTokens = (configFolder: string): OperatorTokens => ({
  verify: (token) => verifyToken(configFolder, token),
  createdAt: () => tokenCreatedAt(configFolder),
  changedAt: () => tokenChangedAt(configFolder),
  create: (now) => createToken(configFolder, now),
});

/** Creates a token that replaces an earlier one. Stores only its digest: the token is never shown again. */
export function createToken(configFolder: string, now: string): string {
  const token = PREFIX + randomBytes(TOKEN_SECRET_BYTES).toString("base64url");
  const content: TokenFile = { sha256: digest(token).toString("hex"), created_at: now };
  const file = tokenFile(configFolder);
  try {
    mkdirSync(configFolder, { recursive: true, mode: 0o700 });
    replaceFile(nodeFiles, file, Buffer.from(`${JSON.stringify(content)}\n`));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new ProblemError({ code: "WRITE_FAILED", file, detail }, { cause: error });
  }
  return token;
}

export function verifyToken(configFolder: string, token: string): TokenCheck {
  const known = readTokenFile(configFolder);
  if (known === null) return { ok: false, detail: "no approval token exists for this user" };
  const isSame = timingSafeEqual(digest(token), Buffer.from(known.sha256, "hex"));
  return isSame ? { ok: true, createdAt: known.created_at } : { ok: false, detail: "it is not the current one" };
}

/** Returns the creation time of the current token. Null without a token. */
export function tokenCreatedAt(configFolder: string): string | null {
  return readTokenFile(configFolder)?.created_at ?? null;
}

/**
 * Returns the time of the token file's last change by the system's own clock, which no program can set back. Null if
 * there is no file.
 */
export function tokenChangedAt(configFolder: string): string | null {
  return nodeFiles.lstatSync(tokenFile(configFolder), { throwIfNoEntry: false })?.ctime.toISOString() ?? null;
}

/** Fails closed: an unreadable or invalid file counts as no token. */
function readTokenFile(configFolder: string): TokenFile | null {
  try {
    const bytes = readSmall(nodeFiles, tokenFile(configFolder), MAX_TOKEN_FILE_BYTES);
    const parsed = z.safeParse(TokenFile, JSON.parse(bytes?.toString("utf8") ?? "null"));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const tokenFile = (configFolder: string): string => join(configFolder, "operator-token.json");

const digest = (token: string): Buffer => createHash("sha256").update(token).digest();

/**
 * Overwrites a text in the arguments and the first environment of this process, as shown by Linux
 * (`/proc/<pid>/cmdline` and `environ`): deleting a variable does not change these. Does nothing on other systems,
 * which do not show them to other programs of the user, or cannot change them.
 */
export function eraseFromProcess(secret: string): void {
  if (process.platform !== "linux" || secret === "") return;
  try {
    const memory = openSync("/proc/self/mem", "r+");
    try {
      for (const [start, end] of regions()) eraseIn(memory, { start, end, secret: Buffer.from(secret) });
    } finally {
      closeSync(memory);
    }
  } catch {
    return; // forbidden by the system; children still do not inherit the variable
  }
}

type Region = readonly [start: number, end: number];

/** Fields of `stat` count from 1. The name in brackets may contain anything, so counting starts after it. */
function regions(): readonly Region[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  const found: readonly Region[] = [
    [field(48), field(49)],
    [field(50), field(51)],
  ];
  return found.filter(([start, end]) => start > 0 && end > start);
}

function eraseIn(memory: number, { start, end, secret }: { start: number; end: number; secret: Buffer }): void {
  const bytes = Buffer.alloc(end - start);
  readSync(memory, bytes, 0, bytes.length, start);
  for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + 1))
    writeSync(memory, Buffer.alloc(secret.length, "x"), 0, secret.length, start + at);
}
