// Builds dist/: two bundled CommonJS files for the program, and the library as ES modules with types.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
rmSync("dist", { recursive: true, force: true });

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minifySyntax: true,
  define: { ISDLC_VERSION: JSON.stringify(version), "import.meta.dirname": "__dirname" },
  logLevel: "warning",
};
await Promise.all([
  build({ ...common, entryPoints: ["src/apps/cli/bin.ts"], outfile: "dist/bin/isdlc.cjs", external: ["./verbs.cjs"], banner: { js: "#!/usr/bin/env node" } }),
  build({ ...common, entryPoints: ["src/apps/cli/verbs/index.ts"], outfile: "dist/bin/verbs.cjs" }),
]);
chmodSync("dist/bin/isdlc.cjs", 0o755);
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
writeFileSync("dist/.built", "");
