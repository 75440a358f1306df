// Builds dist/: bundled CommonJS files for the program, the web UI, and the library as ES modules with types. Also builds
// team/dist/.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleSettings, librarySettings, loadedLater, teamExternals } from "./bundle-settings.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const stateVersion = `${version}-${foldDigest()}`;
for (const part of ["dist/bin", "dist/compiled", "dist/lib", "team/dist"])
  rmSync(part, { recursive: true, force: true });

const common = {
  ...bundleSettings,
  minifySyntax: true,
  minifyWhitespace: true, // names are kept for stack traces in bug reports
  define: {
    ...bundleSettings.define,
    ISDLC_VERSION: JSON.stringify(version),
    ISDLC_STATE_VERSION: JSON.stringify(stateVersion),
  },
};
// Smaller, and stack traces still contain names. They are set at start, which is too slow for the shortest commands.
const large = { ...common, minifyIdentifiers: true, keepNames: true };
await Promise.all([
  build({
    ...common,
    entryPoints: ["src/surfaces/cli/main/bin.ts"],
    minifyIdentifiers: true,
    outfile: "dist/bin/isdlc.cjs",
    external: ["./items.cjs"],
    banner: { js: "#!/usr/bin/env node" },
  }),
  build({ ...common, entryPoints: ["src/surfaces/cli/main/later.ts"], outfile: "dist/bin/later.cjs" }),
  build({ ...common, entryPoints: ["src/surfaces/cli/main/run-items.ts"], outfile: "dist/bin/items.cjs" }),
  build({
    ...large,
    entryPoints: ["src/surfaces/cli/main/verbs.ts"],
    outfile: "dist/bin/verbs.cjs",
    external: loadedLater,
  }),
  build({
    ...large,
    entryPoints: ["src/surfaces/mcp/serve.ts"],
    outfile: "dist/bin/mcp.cjs",
    external: loadedLater,
  }),
  build({
    ...common,
    entryPoints: ["src/surfaces/hook/main.ts"],
    minifyIdentifiers: true,
    outfile: "dist/bin/hook.cjs",
  }),
  build({ ...large, entryPoints: ["src/surfaces/cli/main/ui.ts"], outfile: "dist/bin/ui.cjs" }),
  build({
    ...common,
    entryPoints: ["team/src/index.ts"],
    outfile: "team/dist/index.cjs",
    minifyIdentifiers: true,
    keepNames: true, // of functions and classes, for stack traces and for libraries that read them
    external: teamExternals,
    plugins: [], // one file, in a package without the other bundles
  }),
  build({ entryPoints: ["src/index.ts"], outfile: "dist/lib/index.js", ...librarySettings }),
]);
await buildPage();
chmodSync("dist/bin/isdlc.cjs", 0o755);
writeLibraryTypes();
writeFileSync("dist/.built", stateVersion);

/** Copies the declarations of zod, because the types of the schemas need them and the package does not depend on zod. */
function writeLibraryTypes() {
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"];
  execFileSync(process.execPath, tsc, { stdio: "inherit" });
  for (const path of declarationsUnder("dist/lib")) {
    const zod = relative(dirname(path), "dist/lib/zod/mini/index.js");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll('"zod/mini"', `"${zod.startsWith(".") ? zod : `./${zod}`}"`));
  }
  for (const folder of ["core", "mini", "locales"])
    for (const path of declarationsUnder(`node_modules/zod/v4/${folder}`))
      cpSync(path, join("dist/lib/zod", relative("node_modules/zod/v4", path)));
  cpSync("node_modules/zod/LICENSE", "dist/lib/zod/LICENSE");
}

function declarationsUnder(folder) {
  const names = readdirSync(folder, { recursive: true });
  return names.filter((name) => name.endsWith(".d.ts")).map((name) => join(folder, name));
}

/** Builds the web UI only if it changed: it takes longest to build, and changes least often. */
async function buildPage() {
  const digest = digestOf(["web"], ["package-lock.json"]);
  const mark = "dist/web/.built";
  if (existsSync(mark) && readFileSync(mark, "utf8") === digest) return;
  process.env["NODE_ENV"] = "production"; // a test runner sets "test", which bundles the development build of React
  const vite = await import("vite");
  await vite.build({ configFile: "web/vite.config.ts", logLevel: "warn" });
  writeFileSync(mark, digest);
}

/** Changes with each source that folds a journal, to reject snapshots created by other code. */
function foldDigest() {
  return digestOf(["src/schema", "src/core", "src/adapters/journal"], []);
}

function digestOf(folders, files) {
  const hash = createHash("sha256");
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort(byPath))
      if (entry.isFile()) hash.update(`${pathOf(entry)}\n`).update(readFileSync(pathOf(entry)));
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

function pathOf({ parentPath, name }) {
  return join(parentPath, name);
}

function byPath(one, other) {
  return pathOf(one) < pathOf(other) ? -1 : 1;
}
