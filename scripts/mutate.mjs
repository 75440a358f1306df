// Plants each bug of mutants.mjs into a copy of the working tree, one at a time, and expects the named test to fail.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutants } from "./mutants.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const FOLDERS = [
  "src",
  "team",
  "test",
  "agents",
  "workflows",
  "templates",
  "scripts",
  "web",
  "demo",
  "plugin",
  ".claude-plugin",
];
const COPIED = [
  ...FOLDERS,
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "vitest.config.ts",
];
const COPIES = Math.min(2, availableParallelism());

const scratch = mkdtempSync(join(tmpdir(), "isdlc-mutate-"));
/** Shares vitest's cache of transformed sources, because most sources are the same for all bugs. */
const KEPT = ["--experimental.fsModuleCache", `--experimental.fsModuleCachePath=${join(scratch, "modules")}`];
const total = { passed: 0, failed: 0 };
try {
  await main(process.argv[2]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

async function main(only) {
  const chosen = mutants.filter(({ bug, file }) => only === undefined || `${bug} ${file}`.includes(only));
  const copies = Array.from({ length: COPIES }, (_, number) => copyTree(join(scratch, String(number))));
  if (chosen.length === 0) return tell(false, `no bug is called "${only}"`, "without tests to run, vitest runs all");
  const tests = [...new Set(chosen.map(({ test }) => test))];
  const unharmed = await runTests(copies[0], tests);
  if (unharmed.failed > 0 || unharmed.passed === 0)
    return tell(false, "the tests pass without any bug", unharmed.output.slice(0, 3000));
  const left = [...chosen];
  const work = async (copy) => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) await plant(copy, mutant);
  };
  await Promise.all(copies.map(work));
}

/** Copies the sources, and links the dependencies of the original. */
function copyTree(copy) {
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function plant(copy, { bug, file, find, put, also, test, timeout }) {
  const places = [{ file, find, put }, ...(also === undefined ? [] : [also])];
  const lost = places.find((place) => readFileSync(join(copy, place.file), "utf8").split(place.find).length !== 2);
  if (lost !== undefined) return tell(false, bug, `${lost.file} does not hold exactly once: ${lost.find}`);
  const before = places.map((place) => [join(copy, place.file), readFileSync(join(copy, place.file), "utf8")]);
  for (const place of places) {
    const path = join(copy, place.file);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(place.find, () => place.put),
    );
  }
  try {
    const { failed, output } = await runTests(copy, [test], timeout);
    tell(failed > 0, bug, failed > 0 ? test : `${test} does not notice it\n${output.slice(0, 1500)}`);
  } finally {
    for (const [path, text] of before) writeFileSync(path, text);
  }
}

/** Counts only failed tests. A test file that cannot be loaded has tested nothing. */
async function runTests(copy, files, timeout) {
  const report = join(copy, "report.json");
  const bail = files.length === 1 ? ["--bail=1"] : [];
  const patience = timeout === undefined ? [] : [`--testTimeout=${timeout}`];
  const projects = [...new Set(files.map(projectOf))].flatMap((project) => ["--project", project]);
  const args = ["run", ...projects, ...KEPT, "--maxWorkers=1", "--reporter=json", `--outputFile=${report}`];
  const output = await run(
    join(root, "node_modules", ".bin", "vitest"),
    [...args, ...bail, ...patience, ...files],
    copy,
  );
  const { numPassedTests: passed, numFailedTests: failed, testResults } = JSON.parse(readFileSync(report, "utf8"));
  rmSync(report);
  const broken = testResults.filter(({ status }) => status !== "passed");
  const troubles = broken.flatMap(({ name, message, assertionResults }) => [
    `${name} ${message}`,
    ...assertionResults.flatMap(({ fullName, failureMessages }) =>
      failureMessages.map((text) => `${fullName}: ${text}`),
    ),
  ]);
  return { passed, failed, output: [output, ...troubles].join("\n") };
}

/** Returns the vitest project of a test file: the slow suites are named after their folders. */
function projectOf(file) {
  return /^test\/slow\/(\w+)\//u.exec(file)?.[1] ?? "fast*";
}

function run(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
}

function tell(isCaught, bug, detail) {
  if (isCaught) total.passed++;
  else total.failed++;
  console.log(`${isCaught ? "caught  " : "SURVIVED"} ${bug} (${detail})`);
}
