// Unpacks the package into an empty folder, imports and requires the library there, and compiles code that uses its types.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const IMPORTING = `import * as isdlc from "isdlc";
const { is } = isdlc.next(isdlc.noRun);
if (is !== "done") throw new Error("next of no run is " + is);
`;
const REQUIRING = IMPORTING.replace('import * as isdlc from "isdlc"', 'const isdlc = require("isdlc")');
const TYPED = `import { next, noRun, type RunEvent } from "isdlc";
export const typeOf = (event: RunEvent): "run.started" | "other" => (event.type === "run.started" ? event.type : "other");
export const wrong = (event: RunEvent): number => {
  // @ts-expect-error: a text is no number, unless the types of the schemas are missing
  return event.type;
};
export const now: "action" | "wait" | "done" = next(noRun).is;
`;

const folder = mkdtempSync(join(tmpdir(), "isdlc-packed-"));
const run = (program, ...args) => execFileSync(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
try {
  mkdirSync(join(folder, "node_modules", "isdlc"), { recursive: true });
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], { stdio: "pipe" });
  const [archive] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  run("tar", "--extract", "--file", archive, "--strip-components=1", "--directory", "node_modules/isdlc");
  writeFileSync(join(folder, "import.mjs"), IMPORTING);
  writeFileSync(join(folder, "require.cjs"), REQUIRING);
  writeFileSync(join(folder, "typed.mts"), TYPED);
  run(process.execPath, "import.mjs");
  run(process.execPath, "--no-warnings", "require.cjs");
  const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  const nodeTypes = ["--typeRoots", resolve("node_modules/@types")];
  try {
    run(process.execPath, resolve("node_modules/typescript/bin/tsc"), ...strict, ...nodeTypes, "typed.mts");
  } catch (error) {
    console.error(String(error.stdout));
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
