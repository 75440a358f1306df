/** `manifest`: names packages and scripts. `runner`: settings of a test runner, or files it loads by name. */
export type DecidesTests = "manifest" | "runner";

const MANIFESTS =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[\w.-]*\.txt|Cargo\.(?:toml|lock)|go\.(?:mod|sum|work)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|[\w.-]+\.(?:csproj|sln))$/;

const RUNNERS =
  /^(?:(?:vitest|vite|jest|ava|karma|playwright|cypress|babel|webpack|rollup|wdio|nyc)\.(?:config|conf|workspace|setup)\b.*|\.(?:mocharc|taprc|nycrc|babelrc|swcrc|rspec|npmrc|yarnrc|coveragerc)\b.*|bunfig\.toml|tsconfig[\w.-]*\.json|pytest\.ini|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|conftest\.py|(?:site|user)customize\.py|[\w-]+\.pth|GNUmakefile|[Mm]akefile|[\w.-]+\.mk|justfile|Taskfile\.ya?ml|Rakefile|build\.rs|rust-toolchain(?:\.toml)?|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|\.env[\w.-]*)$/;

/** Files loaded instead of a tool of the same name from the project's folder. */
const SHIMS =
  /^(?:pytest|unittest|nose|coverage|pluggy|_pytest|vitest|jest|mocha|tap|ava|chai|assert|node|npm|npx|python3?|cargo|go|make)(?:\.(?:py|[cm]?[jt]s|sh|cmd|exe))?$/;

/** Returns if and how a file decides how tests run, by its path in the git tree; null for other files. */
export function decidesTests(path: string): DecidesTests | null {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  if (MANIFESTS.test(name)) return "manifest";
  const isInstalled = parts.includes("node_modules") || path.startsWith(".cargo/") || path.startsWith("gradle/");
  return isInstalled || RUNNERS.test(name) || SHIMS.test(name) ? "runner" : null;
}

/** Files loaded by name from the tests' working directory, before installed ones. */
const STAND_INS =
  /^(?:_?pytest|unittest|nose2?|coverage|pluggy|sitecustomize|usercustomize)(?:\.(?:py|pyc|so)$|\/)|(?:^|\/)node_modules\/\.bin\//;

/** True if a project file is loaded instead of a tool that runs the tests. */
export const standsInForTool = (path: string): boolean => STAND_INS.test(path);
