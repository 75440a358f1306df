// Measures the program relative to named bases, and prints one line per goal. See docs/performance.md.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { teamExternals } from "../scripts/bundle-settings.mjs";

// Both slow down starting node by a factor of up to three, which would make ratios meaningless.
const DISTURBING = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"];
const root = fileURLToPath(new URL("..", import.meta.url));

// Exits at once, even if a failed bench left handles open.
process.exit(DISTURBING.some((name) => process.env[name] !== undefined) ? againWithoutThem() : await main());

function againWithoutThem() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !DISTURBING.includes(name)));
  return spawnSync(process.execPath, process.argv.slice(1), { env, stdio: "inherit" }).status ?? 1;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      large: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      only: { type: "string" },
      cases: { type: "string" },
      dir: { type: "string", default: tmpdir() },
    },
  });
  const scratch = mkdtempSync(join(values.dir, "isdlc-bench-"));
  try {
    const { runBenches, endAll } = await import(pathToFileURL(await bundle(scratch)).href);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => void interrupted(scratch, endAll));
    const only = [...(values.only?.split(",") ?? []), ...positionals];
    const cases = values.cases === undefined ? null : resolve(values.cases);
    return await runBenches({ root, scratch, ...values, cases, only: only.length === 0 ? null : only });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function interrupted(scratch, endAll) {
  await endAll();
  rmSync(scratch, { recursive: true, force: true });
  process.exit(1);
}

async function bundle(scratch) {
  // The version of the program. With another one, it would skip all snapshots created by the bench.
  const version = readFileSync(join(root, "dist", ".built"), "utf8");
  await build({
    entryPoints: ["benches", "bare-worker"].map((name) => join(root, "bench", `${name}.ts`)),
    outdir: scratch,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: teamExternals,
    banner: {
      js: 'import { createRequire as benchRequire } from "node:module"; const require = benchRequire(import.meta.url);',
    },
    define: { ISDLC_STATE_VERSION: JSON.stringify(version) },
    logLevel: "error",
  });
  return join(scratch, "benches.mjs");
}
