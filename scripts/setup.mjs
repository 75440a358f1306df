// Fails if the installed dependencies do not match the lock file, and builds if a source changed. Never installs: npm ci
// through a linked node_modules would empty the folder of another clone.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const time = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const newest = (folder) =>
  Math.max(
    0,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => time(join(entry.parentPath, entry.name))),
  );

const missing = findMissingDependency();
if (missing !== undefined) {
  console.error(`Dependencies are not installed as package-lock.json has them (${missing}). Run: npm ci`);
  process.exit(1);
}
const sources = Math.max(
  newest("src"),
  newest("web"),
  newest("team/src"),
  newest("scripts"),
  time("package.json"),
  time("tsconfig.build.json"),
);
if (time("dist/.built") < sources) {
  console.error("Building (once) …");
  execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
}

/**
 * Returns the path of the first package not installed in its locked version. Ignores optional packages, because npm skips
 * those of other platforms.
 */
function findMissingDependency() {
  const locked = readPackages("package-lock.json");
  const installed = readPackages("node_modules/.package-lock.json");
  const required = Object.entries(locked).filter(
    ([path, { link, optional, devOptional }]) => path.startsWith("node_modules/") && !(link || optional || devOptional),
  );
  return required.find(([path, { version }]) => installed[path]?.version !== version)?.[0];
}

function readPackages(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {};
}
