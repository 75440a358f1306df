import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCheckRunner } from "../../src/adapters/checks/create-check-runner.ts";
import type { TestCommand } from "../../src/schema/facts.ts";
import { projectWith, write, type Files } from "./project.ts";

const manifest = (scripts: Files, rest: object = {}): string => JSON.stringify({ name: "x", scripts, ...rest });
const vitest = manifest({ test: "vitest run" });

const detect = (root: string): Promise<TestCommand | null> =>
  createCheckRunner(root, { env: {}, redact: (text) => text })
    .detectTests()
    .then((found) => found?.command ?? null);

describe("test command", () => {
  test.for<[string, Files, string]>([
    ["package.json", { "package.json": vitest }, "npm test"],
    ["package.json with its lock file", { "package.json": vitest, "package-lock.json": "{}" }, "npm test"],
    ["pnpm's lock file", { "package.json": vitest, "pnpm-lock.yaml": "" }, "pnpm test"],
    ["yarn's lock file", { "package.json": vitest, "yarn.lock": "" }, "yarn run test"],
    ["bun's lock file", { "package.json": vitest, "bun.lockb": "\0" }, "bun run test"],
    ["packageManager", { "package.json": manifest({ test: "x" }, { packageManager: "pnpm@9.1.0" }) }, "pnpm test"],
    ["pyproject.toml", { "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q"\n' }, "python3 -m pytest"],
    ["pytest.ini", { "pytest.ini": "[pytest]\n", "uv.lock": "" }, "uv run pytest"],
    ["setup.cfg", { "setup.cfg": "[metadata]\nname=x\n[tool:pytest]\n", "poetry.lock": "" }, "poetry run pytest"],
    ["a tests folder", { "tests/test_a.py": "" }, "python3 -m pytest"],
    ["a nested tests folder", { "tests/unit/a_test.py": "" }, "python3 -m pytest"],
    ["Cargo.toml", { "Cargo.toml": '[package]\nname = "x"\n' }, "cargo test"],
    ["a Cargo workspace", { "Cargo.toml": '[workspace]\nmembers = ["a"]\n' }, "cargo test --workspace"],
    ["go.mod", { "go.mod": "module x\n" }, "go test ./..."],
    ["a Makefile", { Makefile: ".PHONY: test\ntest: build\n\t./run\nbuild:\n" }, "make test"],
    ["a Gradle build", { "build.gradle.kts": "plugins {}" }, "gradle test"],
    ["a Gradle wrapper", { "build.gradle": "x", gradlew: "#!/bin/sh\n" }, "./gradlew test"],
    ["a Maven build", { "pom.xml": "<project/>" }, "mvn --batch-mode test"],
    ["a spec folder", { "spec/a_spec.rb": "", Gemfile: "" }, "bundle exec rspec"],
    ["a Rakefile", { Rakefile: "Rake::TestTask.new\n" }, "rake test"],
    ["mix.exs", { "mix.exs": "defmodule X do\nend" }, "mix test"],
    ["a solution", { "App.sln": "x" }, "dotnet test"],
    ["a Makefile with check", { Makefile: "check:\n\t./run\n" }, "make check"],
    ["a justfile", { justfile: "build:\n  x\n@test *args:\n  x\n" }, "just test"],
    ["a Taskfile", { "Taskfile.yml": "version: 3\ntasks:\n  build:\n    cmd: x\n  test:\n    cmd: x\n" }, "task test"],
    ["tox.ini", { "tox.ini": "[tox]\nenvlist = py312\n" }, "tox"],
    ["tox in pyproject.toml", { "pyproject.toml": "[tool.tox]\nenvlist = []\n" }, "tox"],
    ["a noxfile", { "noxfile.py": "@nox.session\ndef tests(session):\n  pass\n" }, "nox --session tests"],
    ["hatch", { "pyproject.toml": '[tool.hatch.envs.default]\ndependencies = ["pytest"]\n' }, "hatch test"],
    ["a Hatch script", { "pyproject.toml": '[tool.hatch.envs.ci.scripts]\ntest = "pytest"\n' }, "hatch run ci:test"],
    ["composer.json", { "composer.json": '{"scripts":{"test":["@lint","phpunit"]}}' }, "composer test"],
    ["phpunit.xml.dist", { "phpunit.xml.dist": "<phpunit/>" }, "vendor/bin/phpunit"],
    ["pytest before tox", { "tox.ini": "[tox]\n", "tests/test_a.py": "" }, "python3 -m pytest"],
    ["the manifest before the Makefile", { "package.json": vitest, Makefile: "test:\n\tx\n" }, "npm test"],
    [
      "a later candidate if there is no script",
      { "package.json": manifest({}), "go.mod": "module x" },
      "go test ./...",
    ],
  ])("is detected from %s", async ([, files, argv]) => {
    expect((await detect(projectWith(files)))?.argv.join(" ")).toBe(argv);
  });

  test("is shown without control characters", async () => {
    const root = projectWith({ "package.json": manifest({ test: "vitest\u001b[31m run\u202e\n--x" }) });
    expect((await detect(root))?.source).toBe("package.json: vitest [31m run --x");
  });
});

const scripts = {
  pretest: "npm run build",
  test: "npm run unit && ./all.sh",
  unit: "vitest run",
  build: "tsc",
  dev: "vite",
};
const project: Files = { "package.json": manifest(scripts), "all.sh": "vitest run\n" };
const makefile = "FLAGS = -v\ntest: unit\n\t./run $(FLAGS)\nunit:\n\t./unit\nclean:\n\trm x\n";

describe("test command chosen by the user", () => {
  const chosen = (root: string, ...commands: string[][]) =>
    createCheckRunner(root, { env: { PATH: "/usr/bin:/bin" }, redact: (text) => text }).detectTests(commands);

  test("overrides the detected one and can consist of several commands", async () => {
    const found = await chosen(projectWith(project), ["npm", "run", "unit"], ["./all.sh"]);
    expect(found?.command).toMatchObject({ argv: ["npm", "run", "unit"], more: [["./all.sh"]], isChosen: true });
  });

  test.each<[string, string[], Files]>([
    ["the script it runs", ["npm", "run", "unit"], { "package.json": manifest({ ...scripts, unit: "true" }) }],
    ["a file it runs", ["sh", "./own.sh"], { "own.sh": "exit 0\n" }],
    ["a file it runs through a shell", ["sh", "-c", "./own.sh | cat"], { "own.sh": "exit 0\n" }],
    ["the rule it runs", ["make", "unit"], { Makefile: makefile.replace("./unit", "true") }],
    ["the configuration of a test tool", ["x"], { "pytest.ini": "[pytest]\naddopts = -x\n" }],
  ])("has a different digest after a change of %s", async (_what, argv, change) => {
    const root = projectWith({ ...project, Makefile: makefile, "pytest.ini": "[pytest]\n", "own.sh": "unit\n" });
    const before = await chosen(root, argv);
    write(root, change);
    expect((await chosen(root, argv))?.command.digest).not.toBe(before?.command.digest);
  });
});

describe("detection of missing test tools", () => {
  const deps = manifest({ test: "vitest run" }, { devDependencies: { vitest: "4" } });
  test.each<[string, Files, string | undefined]>([
    ["a program that is not installed", { "tests/test_a.py": "", "uv.lock": "" }, "uv is not installed"],
    ["a missing wrapper", { "phpunit.xml": "<phpunit/>" }, "vendor/bin/phpunit is missing"],
    ["packages next to a lock file", { "package.json": deps }, "node_modules is missing: run npm install"],
    [
      "no problem with installed packages",
      { "package.json": deps, "node_modules/vitest/package.json": "{}" },
      undefined,
    ],
    ["no problem without dependencies", { "package.json": vitest }, undefined],
  ])("reports before the start: %s", async (_what, files, unavailable) => {
    const bin = projectWith({ npm: "#!/bin/sh\n" });
    chmodSync(join(bin, "npm"), 0o755);
    const runner = createCheckRunner(projectWith(files), { env: { PATH: bin }, redact: (text) => text });
    expect((await runner.detectTests())?.unavailable).toBe(unavailable);
  });

  test("reports uv without its environment", async () => {
    const bin = projectWith({ uv: "#!/bin/sh\n" });
    chmodSync(join(bin, "uv"), 0o755);
    const root = projectWith({ "tests/test_a.py": "", "uv.lock": "" });
    const unavailable = async (env: Readonly<Record<string, string>>) =>
      (await createCheckRunner(root, { env: { PATH: bin, ...env }, redact: (text) => text }).detectTests())
        ?.unavailable;
    expect(await unavailable({})).toBe("the dependencies are not installed: run uv sync");
    expect(await unavailable({ VIRTUAL_ENV: "/venv" })).toBeUndefined();
  });
});

describe("undetectable test command", () => {
  const deep = "[".repeat(200_000);
  test.for<[string, Files]>([
    ["an empty folder", {}],
    [
      "the manifest created by npm init",
      { "package.json": manifest({ test: 'echo "Error: no test specified" && exit 1' }) },
    ],
    ["a blank script", { "package.json": manifest({ test: "  " }) }],
    ["a manifest that is not JSON", { "package.json": "{ test" }],
    ["an empty manifest", { "package.json": "" }],
    ["JSON that is not an object", { "package.json": "[1]" }],
    ["null", { "package.json": "null" }],
    ["scripts that are not an object", { "package.json": '{"scripts":"test"}' }],
    ["a script that is not text", { "package.json": '{"scripts":{"test":["rm"]}}' }],
    ["a prototype", { "package.json": '{"__proto__":{"scripts":{"test":"x"}}}' }],
    ["scripts with a prototype", { "package.json": '{"scripts":{"__proto__":{"test":"x"}}}' }],
    ["deeply nested invalid JSON", { "package.json": `{"scripts":${deep}` }],
    ["deeply nested valid JSON", { "package.json": `{"scripts":{"test":${deep}${"]".repeat(200_000)}}}` }],
    ["a huge manifest", { "package.json": manifest({ test: "x" }, { pad: " ".repeat(2_000_000) }) }],
    ["a Makefile without a test target", { Makefile: "tests:\n\tx\nTEST = test: x\ntest := y\n# test: z\n" }],
    ["a pyproject of another tool", { "pyproject.toml": "[tool.black]\n# [tool.pytest]\n" }],
  ])("is null for %s", async ([, files]) => {
    expect(await detect(projectWith(files))).toBeNull();
  });

  test("is null for a linked manifest outside and for a pipe", async () => {
    const outside = projectWith({ "package.json": vitest });
    const linked = projectWith({});
    symlinkSync(join(outside, "package.json"), join(linked, "package.json"));
    const piped = projectWith({});
    execFileSync("mkfifo", [join(piped, "package.json")]);
    expect([await detect(linked), await detect(piped)]).toEqual([null, null]);
  });

  test("is found despite deeply nested runner settings", async () => {
    const settings = `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const root = projectWith({ "package.json": `{"scripts":{"test":"jest"},"jest":${settings}}` });
    expect((await detect(root))?.argv).toEqual(["npm", "test"]);
  });
});

type Change = readonly [what: string, before: Files, after: Files];

const cargo = '[package]\nname = "x"\nversion = "1.0.0"\n[[test]]\nname = "all"\n[dependencies]\na = "1"\n';
const pyproject = '[project]\nversion = "1"\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.black]\nline = 1\n';

const weakening: readonly Change[] = [
  ["the script", project, { "package.json": manifest({ ...scripts, test: "true" }) }],
  ["a pre-script", project, { "package.json": manifest({ ...scripts, pretest: "rm -r test" }) }],
  ["a post-script", project, { "package.json": manifest({ ...scripts, posttest: "true" }) }],
  ["a called script", project, { "package.json": manifest({ ...scripts, unit: "true" }) }],
  ["a script called earlier", project, { "package.json": manifest({ ...scripts, build: "true" }) }],
  ["a called shell script", project, { "all.sh": "exit 0\n" }],
  ["the package manager", project, { "yarn.lock": "" }],
  ["the shell that runs scripts", project, { ".npmrc": "script-shell=/bin/true\n" }],
  ["the runner's settings", project, { "vitest.config.ts": "export default {}" }],
  ["settings too large to read", project, { "vitest.config.ts": " ".repeat(2_000_000) }],
  ["settings in the manifest", project, { "package.json": manifest(scripts, { jest: { testMatch: [] } }) }],
  ["a Makefile rule", { Makefile: makefile }, { Makefile: makefile.replace("./run", "-./run") }],
  ["a prerequisite rule", { Makefile: makefile }, { Makefile: makefile.replace("./unit", "true") }],
  ["a Makefile variable", { Makefile: makefile }, { Makefile: makefile.replace("-v", "-k none") }],
  ["a Makefile with precedence", { Makefile: makefile }, { GNUmakefile: "test:\n\ttrue\n" }],
  ["pytest's section", { "pyproject.toml": pyproject }, { "pyproject.toml": pyproject.replace("-q", "-k none") }],
  ["a file with precedence for pytest", { "pyproject.toml": pyproject }, { "pytest.ini": "[pytest]\n" }],
  ["a test target", { "Cargo.toml": cargo }, { "Cargo.toml": cargo.replace('"all"', '"all"\ntest = false') }],
  ["Cargo's runner", { "Cargo.toml": cargo }, { ".cargo/config.toml": 'target.x.runner = "true"' }],
  [
    "automatic tests",
    { "Cargo.toml": cargo },
    { "Cargo.toml": cargo.replace("version", "autotests = false\nversion") },
  ],
  ["Maven's arguments", { "pom.xml": "<project/>" }, { ".mvn/maven.config": "-DskipTests" }],
  ["mix aliases", { "mix.exs": "a" }, { "mix.exs": "b" }],
];

const harmless: readonly Change[] = [
  ["an unrelated script", project, { "package.json": manifest({ ...scripts, dev: "vite --host" }) }],
  ["the version", project, { "package.json": manifest(scripts, { version: "2.0.0", dependencies: { a: "1" } }) }],
  ["a test file", project, { "test/a.test.ts": "test()" }],
  ["line endings", { Makefile: makefile }, { Makefile: makefile.replaceAll("\n", "\r\n") }],
  ["an unrelated rule", { Makefile: makefile }, { Makefile: makefile.replace("rm x", "rm y") }],
  [
    "an unrelated section",
    { "pyproject.toml": pyproject },
    { "pyproject.toml": pyproject.replace("line = 1", "line = 2") },
  ],
  ["a dependency", { "Cargo.toml": cargo }, { "Cargo.toml": cargo.replace('a = "1"', 'a = "2"') }],
  ["a Go dependency", { "go.mod": "module x\n" }, { "go.mod": "module x\nrequire y v1.0.0\n" }],
];

describe("digest of the test command", () => {
  const digests = async ([, before, after]: Change): Promise<readonly unknown[]> => {
    const root = projectWith(before);
    const first = await detect(root);
    write(root, after);
    const second = await detect(root);
    expect([first, second]).not.toContain(null);
    return [first?.digest, second?.digest];
  };

  test.for(weakening)("changes with %s", async (change) => {
    const [before, after] = await digests(change);
    expect(after).not.toBe(before);
  });

  test.for(harmless)("is unchanged with %s", async (change) => {
    const [before, after] = await digests(change);
    expect(after).toBe(before);
  });
});
