import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleSettings, loadedLater } from "../../scripts/bundle-settings.mjs";
import { createSandbox, type Sandbox } from "../support/cli.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const repository = dirname(dirname(import.meta.dirname));
const folder = mkdtempSync(join(tmpdir(), "isdlc-footprint-"));
const program = join(folder, "dist/bin/main.cjs");
afterAll(() => removeTemporary(folder));

/** The program as one readable file. Each module starts with a comment with its name. */
beforeAll(async () => {
  mkdirSync(dirname(program), { recursive: true });
  for (const part of ["workflows", "agents", "templates", "package.json"])
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  await build({
    entryPoints: [join(repository, "src/surfaces/cli/main/verbs.ts")],
    outfile: join(folder, "dist/bin/verbs.cjs"),
    absWorkingDir: repository,
    ...bundleSettings,
    external: loadedLater,
  });
  writeFileSync(
    program,
    `require("./verbs.cjs").runAll(process.argv.slice(2), { cwd: process.cwd(), env: process.env, version: "0" })
       .then((code) => { process.exitCode = code; });`,
  );
});

type Seen = { readonly modules: readonly string[]; readonly reads: readonly string[] };

/** Modules with called functions, and opened files, while the command ran. */
function watched(sandbox: Sandbox, args: readonly string[]): Seen {
  const loading = callsIn(sandbox, ["--version"]); // Executed by each module at load time.
  const { calls, reads } = callsIn(sandbox, args);
  const modules = [...calls].flatMap(([name, count]) =>
    count > (loading.calls.get(name) ?? 0) ? [moduleAt(name)] : [],
  );
  return { modules: [...new Set(modules)].filter((name) => name.startsWith("src/")).toSorted(), reads };
}

type Called = { readonly calls: ReadonlyMap<number, number>; readonly reads: readonly string[] };

/** Number of calls of each function, by its start position. */
function callsIn(sandbox: Sandbox, args: readonly string[]): Called {
  const coverage = join(sandbox.base, `coverage-${args[0] ?? ""}`);
  const log = join(sandbox.base, `reads-${args[0] ?? ""}`);
  const counter = join(import.meta.dirname, "programs/count-reads.cjs");
  const env = {
    ...sandbox.env,
    ISDLC_OPERATOR_TOKEN: sandbox.token,
    NODE_V8_COVERAGE: coverage,
    NODE_OPTIONS: `--require ${counter}`,
    READS_LOG: log,
  };
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: sandbox.root, env });
  expect([0, 3]).toContain(status);
  return { calls: countsIn(coverage), reads: readFileSync(log, "utf8").trim().split("\n") };
}

type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { startOffset: number; count: number }[] }[];
  }[];
};

function countsIn(coverage: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const file of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8")) as Coverage;
    const functions = result.filter(({ url }) => url.endsWith("verbs.cjs")).flatMap((script) => script.functions);
    for (const { ranges } of functions) {
      const [whole] = ranges;
      if (whole === undefined || whole.startOffset === 0) continue;
      counts.set(whole.startOffset, (counts.get(whole.startOffset) ?? 0) + whole.count);
    }
  }
  return counts;
}

let starts: readonly { readonly name: string; readonly index: number }[] | null = null;

function moduleAt(offset: number): string {
  const bundle = join(folder, "dist/bin/verbs.cjs");
  starts ??= [...readFileSync(bundle, "utf8").matchAll(/^ *\/\/ ((?:src|node_modules)\/\S+)$/gm)].map((found) => ({
    name: found[1] ?? "",
    index: found.index,
  }));
  return starts.findLast(({ index }) => index < offset)?.name ?? "";
}

test("uses at most 60 modules for a recorded redo and opens the journal four times", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const { modules, reads } = watched(sandbox, ["redo", "more", "--record-only"]);
  expect(modules).toContain("src/app/answer/answer.ts");
  expect(modules.length).toBeLessThanOrEqual(60);
  // Opened two more times: to check that it exists and to write the answer.
  expect(reads.filter((read) => /^openSync .*\/journal\/[^/]+\.jsonl$/.test(read)).length).toBeLessThanOrEqual(4);
});

test("reads each workflow once for a feature", async () => {
  const sandbox = await createSandbox();
  const { reads } = watched(sandbox, ["feature", "say hello", "--supervised", "--tests", "without", ...sandbox.agent]);
  const workflows = reads.filter((read) => /^readFileSync .*\/workflows\/[^/]+\.json$/.test(read));
  expect(workflows.length).toBeGreaterThan(3);
  expect(new Set(workflows).size).toBe(workflows.length);
});
