import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { procFileTable } from "../../src/adapters/process/process-table.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const folder = mkdtempSync(join(tmpdir(), "driver-"));
afterAll(() => removeTemporary(folder));

test("ends the agent of a driver that exits, even if it ignores SIGTERM [R9]", async () => {
  buildSync({
    entryPoints: [join(import.meta.dirname, "../../src/adapters/process/start-agent-process.ts")],
    outfile: join(folder, "start.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
  });
  const agent = join(import.meta.dirname, "../fixtures/agents/stubborn.mjs");
  const driver = `
    import { startAgentProcess } from "./start.mjs";
    const onLine = ({ text }) => { console.log(text); process.exit(0); };
    const options = { argv: [process.execPath, ${JSON.stringify(agent)}], cwd: "/", env: process.env, nonce: "driver", stdin: "", silenceSeconds: 60 };
    await startAgentProcess({ ...options, onLine }, new AbortController().signal);`;
  writeFileSync(join(folder, "driver.mjs"), driver);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "driver.mjs")]);
  expect(Number(stdout)).toBeGreaterThan(1);
  // A killed process stops, but the kernel removes it from the table later.
  await expect.poll(() => procFileTable().one(Number(stdout)), { timeout: 30_000 }).toBeNull();
});
