import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A small project with short tests, and the command of its test tool. */
export type TestedProject = {
  readonly tool: string;
  readonly command: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** A required package, copied from the packages installed here. */
  readonly installs?: string;
  /**
   * Variable that sets the folder of compiled files. Inside and outside of the sandbox, each run compiles everything.
   */
  readonly compilesInto?: string;
};

const BUSY = "for (let at = 0; at < 1e8; at++);";

const PROJECTS: readonly TestedProject[] = [
  {
    tool: "node",
    command: [process.execPath, "--test", "sample.test.mjs"],
    files: {
      "sample.test.mjs": `import test from "node:test";\nfor (const name of ["one", "two", "three"]) test(name, () => { ${BUSY} });\n`,
    },
  },
  {
    tool: "vitest",
    command: [process.execPath, "node_modules/vitest/vitest.mjs", "run"],
    files: {
      "package.json": '{ "name": "sample", "type": "module" }\n',
      "sample.test.js": `import { test } from "vitest";\ntest("one", () => { ${BUSY} });\n`,
    },
    installs: "vitest",
  },
  {
    tool: "pytest",
    command: ["python3", "-m", "pytest", "-q"],
    files: {
      "pytest.ini": "[pytest]\n",
      "test_sample.py": "def test_one():\n    assert sum(range(10_000_000)) > 0\n",
    },
  },
  {
    tool: "cargo",
    command: ["cargo", "test", "--quiet"],
    files: {
      "Cargo.toml": '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": "#[test]\nfn adds() {\n    assert_eq!(1 + 2, 3);\n}\n",
    },
    compilesInto: "CARGO_TARGET_DIR",
  },
  {
    tool: "go",
    command: ["go", "test", "./..."],
    files: {
      "go.mod": "module example.org/sample\n\ngo 1.19\n",
      "sum_test.go":
        'package sample\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif 1+2 != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    compilesInto: "GOCACHE",
  },
  {
    tool: "make",
    command: ["make", "test"],
    files: { Makefile: "test:\n\ti=0; while [ $$i -lt 300000 ]; do i=$$((i + 1)); done\n" },
  },
];

/** Projects whose tool is installed here. */
export const testedProjects = (): readonly TestedProject[] => PROJECTS.filter(isInstalled);

function isInstalled({ tool, command: [program = ""] }: TestedProject): boolean {
  const args = tool === "pytest" ? ["-m", "pytest", "--version"] : [tool === "go" ? "version" : "--version"];
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

export function writeProject({ files, installs }: TestedProject, folder: string, packages: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (installs !== undefined) for (const name of packagesFor(installs, packages)) install(name, folder, packages);
}

function install(name: string, folder: string, packages: string): void {
  const target = join(folder, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(packages, name), target, { recursive: true, verbatimSymlinks: true });
}

type Manifest = Readonly<Partial<Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>>>;

function packagesFor(name: string, packages: string, found = new Set<string>()): ReadonlySet<string> {
  const file = join(packages, name, "package.json");
  if (found.has(name) || !existsSync(file)) return found;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) packagesFor(needed, packages, found);
  return found;
}
