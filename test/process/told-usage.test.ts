import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { toldUsage } from "../../src/adapters/process/told-usage.ts";

test("finds the usage of an execution in its transcript [R9]", () => {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-transcript-"));
  const file = join(folder, "plan#1.1.log");
  expect(toldUsage(nodeFiles, file)).toBeNull();
  const says = (input: number | null) => ({
    type: "progress",
    text: "x",
    usage: input === null ? null : { input, output: 5, usd: null },
  });
  const lines = [says(null), says(100), says(900), says(null)].map((line) => JSON.stringify(line));
  writeFileSync(file, `${lines.join("\n")}\n{"type":"progr`);
  expect(toldUsage(nodeFiles, file)).toEqual({ input: 900, output: 5, usd: null });
  rmSync(folder, { recursive: true });
});
