// Runs all checks that do not run the program. Prints one line per tool, and continues after a failure.
// With --shape, prints the number, length and imports of source files instead.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
if (process.argv.includes("--shape")) {
  await import("./shape.mjs");
  process.exit(0);
}
const bin = (name) => `node_modules/.bin/${name}`;
const tools = [
  ["format", bin("oxfmt"), ["--check"]],
  ["lint", bin("oxlint"), ["--type-aware"]],
  ["types", bin("tsc"), []],
  ["types of the page", bin("tsc"), ["-p", "web"]],
  ["unused code", bin("knip"), []],
  ["prose", process.execPath, ["scripts/prose.mjs", "--limits"]],
  ["traceability", process.execPath, ["scripts/trace.mjs", "--check"]],
  ["build", process.execPath, ["scripts/build.mjs"]],
  ["package shape", bin("publint"), ["--strict"]],
  ["size of the package", process.execPath, ["scripts/package-size.mjs"]],
  ["shape of the package for teams", bin("publint"), ["team", "--strict"]],
  ["library of the package", process.execPath, ["scripts/packed-library.mjs"]],
  ["types of the package", bin("attw"), ["--pack", ".", "--profile", "esm-only"]],
];

let failed = 0;
for (const [name, program, args] of tools) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) console.log(`ok    ${String(name)}`);
  else {
    failed++;
    console.log(`FAIL  ${String(name)}\n${stdout}${stderr}`);
  }
}
console.log(`checks: ${tools.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
