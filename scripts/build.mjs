// Builds dist/: three bundled CommonJS files for the program, and the library as ES modules with types.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const stateVersion = `${version}-${foldDigest()}`;
rmSync("dist", { recursive: true, force: true });

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true, // names stay as they are, for stack traces in bug reports
  define: {
    ISDLC_VERSION: JSON.stringify(version),
    ISDLC_STATE_VERSION: JSON.stringify(stateVersion),
    "import.meta.dirname": "__dirname",
  },
  logLevel: "warning",
};
await Promise.all([
  build({
    ...common,
    entryPoints: ["src/apps/cli/main/bin.ts"],
    minifyIdentifiers: true,
    outfile: "dist/bin/isdlc.cjs",
    external: ["./verbs.cjs", "./items.cjs"],
    banner: { js: "#!/usr/bin/env node" },
  }),
  build({ ...common, entryPoints: ["src/apps/cli/main/run-items.ts"], outfile: "dist/bin/items.cjs" }),
  build({ ...common, entryPoints: ["src/apps/cli/verbs/index.ts"], outfile: "dist/bin/verbs.cjs" }),
]);
chmodSync("dist/bin/isdlc.cjs", 0o755);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
writeFileSync("dist/.built", stateVersion);

/** Changes with every source a journal is folded with, so that a snapshot made by other code is never used. */
function foldDigest() {
  const hash = createHash("sha256");
  for (const folder of ["src/schema", "src/core", "src/adapters/journal-file"])
    for (const name of readdirSync(folder, { recursive: true }).sort())
      if (name.endsWith(".ts")) hash.update(`${name}\n${readFileSync(join(folder, name), "utf8")}`);
  return hash.digest("hex").slice(0, 12);
}
