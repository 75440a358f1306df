// Verifies generated histories with the core and with the reference verifier, and prints how often each reason was
// reached. npm run forgeries -- --count 5000 --seed 1
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "isdlc-forgeries-"));
const outfile = join(folder, "run.mjs");
await build({
  entryPoints: [join(root, "test/attestation/forgeries/run.ts")],
  bundle: true,
  format: "esm",
  platform: "node",
  outfile,
  logLevel: "error",
});
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { cwd: root, stdio: "inherit" });
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
