// Verifies generated histories with the core and with the reference verifier, and prints how often each reason was
// reached. npm run forgeries -- --count 5000 --seed 1
// With --all, runs every case in real repositories instead: at each entry point, in each kind of clone, with both kinds
// of ids, about an hour on two cores; then the generated histories.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const isAll = process.argv.includes("--all");
const more = process.argv.slice(2).filter((word) => word !== "--all");
if (isAll) {
  const args = ["vitest", "run", "--project", "flows", "--reporter=verbose", "test/slow/flows/forgeries"];
  const env = { ...process.env, ISDLC_FORGERY_ROWS: "all", ISDLC_REAL_HISTORIES: "1000" };
  const ended = spawnSync("npx", args, { cwd: root, env, stdio: "inherit" });
  if (ended.status !== 0) process.exit(1);
}
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
const { status } = spawnSync(process.execPath, [outfile, ...more], { cwd: root, stdio: "inherit" });
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
