import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { NOTHING, sandboxedProject } from "../../../checks/sandboxed-project.ts";
import { createPlace, missing, suffix } from "../../../sandbox/sandbox-fixture.ts";

type Sample = {
  readonly tool: string;
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Prepares the working tree like a user would. */
  readonly prepare?: (tree: string) => void;
  /** Files in the user's home that the tool needs on this machine. Usual installations need none. */
  readonly read?: readonly string[];
  /** Command that succeeds if the tool is installed. */
  readonly probe: readonly string[];
  /** Debian package of the tool. */
  readonly installedBy: string;
  /** Null if the tool prints no numbers. */
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number } | null;
};

const home = process.env["HOME"] ?? "/root";
const installed = join(import.meta.dirname, "../../../../node_modules");

const samples: readonly Sample[] = [
  {
    tool: "node",
    argv: ["npm", "test"],
    files: {
      "package.json": '{ "name": "sample", "type": "module", "scripts": { "test": "node --test" } }',
      "sum.js": "export const sum = (a, b) => a + b;\n",
      "sum.test.js":
        'import test from "node:test";\nimport assert from "node:assert";\nimport { sum } from "./sum.js";\ntest("adds", () => assert.equal(sum(1, 2), 3));\ntest.skip("later", () => {});\n',
    },
    probe: ["npm", "--version"],
    installedBy: "npm",
    counts: { passed: 1, failed: 0, skipped: 1 },
  },
  {
    tool: "vitest",
    argv: ["npm", "test"],
    files: {
      "package.json": '{ "name": "sample", "type": "module", "scripts": { "test": "vitest run" } }',
      "vitest.config.ts":
        'import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: { include: ["src/*.test.ts"] } });\n',
      "src/sum.ts": "export const sum = (a: number, b: number): number => a + b;\n",
      "src/sum.test.ts":
        'import { expect, test } from "vitest";\nimport { sum } from "./sum.ts";\ntest("adds", () => expect(sum(1, 2)).toBe(3));\ntest("again", () => expect(sum(2, 2)).toBe(4));\n',
    },
    prepare: (tree) => installPackage(tree, "vitest"),
    probe: ["npm", "--version"],
    installedBy: "npm",
    counts: { passed: 2, failed: 0, skipped: 0 },
  },
  {
    tool: "pytest",
    argv: ["python3", "-m", "pytest"],
    files: {
      "pyproject.toml": "[tool.pytest.ini_options]\n",
      "sums.py": "def add(a, b):\n    return a + b\n",
      "test_sums.py": "from sums import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    },
    read: [join(home, ".pyenv")],
    probe: ["python3", "-m", "pytest", "--version"],
    installedBy: "python3-pytest",
    counts: { passed: 1, failed: 0, skipped: 0 },
  },
  {
    tool: "cargo",
    argv: ["cargo", "test"],
    files: {
      "Cargo.toml": '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs":
        "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n}\n",
    },
    read: [join(home, ".cargo/bin"), join(home, ".rustup")],
    probe: ["cargo", "--version"],
    installedBy: "cargo",
    counts: { passed: 1, failed: 0, skipped: 0 },
  },
  {
    tool: "go",
    argv: ["go", "test", "./..."],
    files: {
      "go.mod": "module example.org/sample\n\ngo 1.19\n",
      "sum.go": "package sample\n\nfunc Add(a, b int) int { return a + b }\n",
      "sum_test.go":
        'package sample\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    probe: ["go", "version"],
    installedBy: "golang-go",
    counts: null,
  },
  {
    tool: "make",
    argv: ["make", "test"],
    files: { Makefile: 'test:\n\ttest "$$(cat value)" = 42\n', value: "42\n" },
    probe: ["make", "--version"],
    installedBy: "make",
    counts: null,
  },
];

/** Links an installed package, its command and its dependencies, like npm would install them. */
function installPackage(tree: string, name: string): void {
  const target = join(tree, "node_modules");
  for (const needed of packagesFor(name)) {
    mkdirSync(dirname(join(target, needed)), { recursive: true });
    execFileSync("cp", ["--archive", "--link", join(installed, needed), join(target, needed)]);
  }
  mkdirSync(join(target, ".bin"));
  symlinkSync(`../${name}/${name}.mjs`, join(target, ".bin", name));
}

function packagesFor(name: string, found = new Set<string>()): ReadonlySet<string> {
  const file = join(installed, name, "package.json");
  if (found.has(name) || !existsSync(file)) return found;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) packagesFor(needed, found);
  return found;
}

type Manifest = Readonly<Partial<Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>>>;

/** CI skips no tool. */
const isInstalled = ([program = "", ...args]: readonly string[]): boolean =>
  process.env["CI"] === "true" || spawnSync(program, args, { stdio: "ignore" }).status === 0;

/** Toolchains of this machine. A user's toolchains are in the home folder. */
const toolchains = {
  CARGO_HOME: join(home, ".cargo"),
  RUSTUP_HOME: join(home, ".rustup"),
  PYENV_ROOT: join(home, ".pyenv"),
};

describe.skipIf(missing !== null)(`tests of real projects in the sandbox${suffix}`, () => {
  for (const { tool, argv, files, prepare, read = [], probe, installedBy, counts } of samples) {
    const isThere = isInstalled(probe);
    const name = isThere ? tool : `${tool} (skipped: not installed; apt-get install ${installedBy})`;
    test.skipIf(!isThere)(name, async () => {
      const place = createPlace();
      const project = sandboxedProject(place);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(place.tree, path)), { recursive: true });
        writeFileSync(join(place.tree, path), text);
      }
      prepare?.(place.tree);
      const env = { ...process.env, ...toolchains, HOME: place.home, CI: "1" };
      const [program = "", ...args] = argv;
      const outside = timed(() => execFileSync(program, args, { cwd: place.tree, env, stdio: "pipe" }));
      rmSync(join(place.tree, "target"), { recursive: true, force: true }); // compiled again in both
      const began = performance.now();
      const result = await project.run(argv, { needs: { ...NOTHING, read }, options: { env } });
      const inside = performance.now() - began;
      console.log(`${tool}: ${Math.round(outside)} ms outside, ${Math.round(inside)} ms in the sandbox with its copy`);
      expect(result, result.detail).toMatchObject({ ok: true, ranAs: "sandbox" });
      if (counts !== null) expect(result.counts).toEqual(counts);
    });
  }
});

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
