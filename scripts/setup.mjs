// Makes a fresh clone ready: installs the dependencies and builds, each only when something changed.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
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

if (time("node_modules/.package-lock.json") < time("package-lock.json")) {
  console.error("Installing dependencies (once) …");
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { stdio: ["ignore", "ignore", "inherit"] });
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
