// Verifies generated histories with the core and with the reference verifier, and prints how often each reason was
// reached. npm run forgeries -- --count 5000 --seed 1
// With --all, first runs every case in real repositories: at each entry point, in each kind of clone, with both kinds of
// ids. This takes hours. --all --part 3/16 runs the third of 16 equal parts of these rows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const {
  values: { all, part, ...history },
} = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    part: { type: "string", default: "1/1" },
    count: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
  },
});
const more = Object.entries(history).flatMap(([name, value]) => [`--${name}`, value]);
if (all) {
  const args = ["vitest", "run", "--project", "flows", "--reporter=verbose", "test/slow/flows/forgeries"];
  const env = { ISDLC_REAL_HISTORIES: "1000", ...process.env, ISDLC_FORGERY_ROWS: part };
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
