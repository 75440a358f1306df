import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../../src");

const withoutComments = (source: string): string =>
  source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");

test("uses fixed paths for programs that identify the caller [S11]", () => {
  const searched = /["'`](?:ps|ss|lsof|pgrep|who)["'`]/;
  const started = /["'`]\/(?:usr\/)?s?bin\/(?:ps|ss)["'`]/;
  const adapters = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^adapters\/.*\.ts$/.test(file),
  );
  const withPrograms = adapters.map((file) => ({ file, code: withoutComments(readFileSync(join(SRC, file), "utf8")) }));
  expect(withPrograms.filter(({ code }) => searched.test(code)).map(({ file }) => file)).toEqual([]);
  expect(withPrograms.filter(({ code }) => started.test(code)).map(({ file }) => file)).toEqual([
    "adapters/identity/socket-table.ts",
    "adapters/process/process-table.ts",
  ]);
  const reading = withPrograms.filter(({ file }) => /^adapters\/(?:identity\/|process\/process-table)/.test(file));
  expect(reading.filter(({ code }) => /\bPATH\b/.test(code)).map(({ file }) => file)).toEqual([]);
  expect('execFileSync("ps", args)').toMatch(searched);
});
