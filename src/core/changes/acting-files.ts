/** Files that programs run or obey automatically, and files that decide how tests run. */
const ACTING: readonly (readonly [why: string, path: RegExp])[] = [
  [
    "decides how tests run",
    /(?:^|\/)(?:conftest\.py|pytest\.ini|tox\.ini|noxfile\.py|\.coveragerc|karma\.conf\.[cm]?[jt]s|\.mocharc(?:\.\w+)?|\.rspec|phpunit\.xml(?:\.dist)?|(?:vitest|jest|playwright|cypress|ava)\.(?:config|workspace|setup)\.\w+)$/i,
  ],
  [
    "CI runs it",
    /^(?:\.github\/(?:workflows|actions)\/|\.gitlab-ci|\.circleci\/|\.buildkite\/|\.woodpecker|\.drone\.ya?ml$|\.travis\.ya?ml$|\.forgejo\/|\.gitea\/|\.tekton\/|azure-pipelines|bitbucket-pipelines|appveyor\.ya?ml$|cloudbuild\.ya?ml$)|(?:^|\/)Jenkinsfile/i,
  ],
  ["decides who may sign or merge", /(?:^|\/)(?:allowed_signers|CODEOWNERS)$|^ci\/[^/]*(?:policy|signers)[^/]*$/i],
  [
    "your editor runs or obeys it",
    /(?:^|\/)(?:\.vscode|\.idea|\.fleet|\.zed|\.nvim)\/|\.code-workspace$|(?:^|\/)(?:\.exrc|\.nvimrc|\.nvim\.lua|\.vimrc|\.dir-locals\.el|\.editorconfig)$/i,
  ],
  [
    "your shell runs it",
    /(?:^|\/)(?:\.envrc|\.env\.?\w*|mise\.toml|\.mise\.toml|\.tool-versions|\.autoenv(?:\.zsh)?|\.in)$/i,
  ],
  [
    "the package manager obeys it",
    /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.ya?ml)?|\.pnpmfile\.c?js|bunfig\.toml|pip\.conf|\.pypirc|\.condarc|\.bundle\/config|\.cargo\/config(?:\.toml)?|build\.rs|nuget\.config|gradle\/wrapper\/gradle-wrapper\.(?:properties|jar))$/i,
  ],
  [
    "git runs or obeys it",
    /(?:^|\/)(?:\.gitattributes|\.gitmodules|\.gitconfig|\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.ya?ml)$|(?:^|\/)(?:\.husky|\.githooks|githooks|\.git-hooks)\//i,
  ],
  ["a development container runs it", /(?:^|\/)\.devcontainer(?:\/|\.json$)|^\.gitpod\.ya?ml$/i],
  [
    "agents obey it",
    /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)(?:\.local)?\.md$|(?:^|\/)(?:\.claude|\.codex|\.cursor|\.gemini|\.windsurf|\.kiro|\.roo|\.continue|\.opencode)\/|(?:^|\/)(?:\.mcp\.json|\.cursorrules|\.windsurfrules|\.clinerules|\.aider[^/]*|opencode\.jsonc?)$|^\.github\/(?:copilot-instructions\.md|instructions\/|agents\/|prompts\/)/,
  ],
  ["isdlc obeys it", /^\.isdlc\/workflows\.json$/i],
];

/** Returns why a file takes effect without being called; null for an ordinary file. */
export const actingReason = (path: string): string | null =>
  ACTING.find(([, pattern]) => pattern.test(path))?.[0] ?? null;

const INVISIBLE = /[\p{Cf}\u115f\u1160\u3164\uffa0]/u;

/** Returns why a file name may be taken for another. `others`: the names displayed with it. */
export function deceptiveReason(path: string, others: readonly string[]): string | null {
  if (INVISIBLE.test(path)) return "its name has invisible characters";
  if (path.split(/[/._\s-]/).some(mixesAlphabets)) return "its name mixes letters of two alphabets";
  if (path !== path.normalize("NFC")) return "its name is not in the usual form (NFC)";
  const twin = others.find((other) => other !== path && folded(other) === folded(path));
  return twin === undefined ? null : `its name differs from ${twin} only in case or form`;
}

/** Cyrillic and Greek letters can look like Latin ones. */
const mixesAlphabets = (name: string): boolean =>
  /\p{Script=Latin}/u.test(name) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(name);

const folded = (path: string): string => path.normalize("NFKC").toLowerCase();

export type ActingFile = { readonly path: string; readonly why: string };

/** Lists files to read first, each with its automatic effect or the reason why its name deceives. */
export function actingFiles(paths: readonly string[]): ActingFile[] {
  const distinct = [...new Set(paths)];
  return distinct.flatMap((path) => {
    const why = [actingReason(path), deceptiveReason(path, distinct)].filter((reason) => reason !== null);
    return why.length === 0 ? [] : [{ path, why: why.join("; ") }];
  });
}

/** `manifest`: names packages and scripts. `runner`: settings of a test runner, or files it loads by name. */
type DecidesTests = "manifest" | "runner";

const MANIFESTS =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|requirements[\w.-]*\.txt|Cargo\.(?:toml|lock)|go\.(?:mod|sum|work)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|pom\.xml|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|[\w.-]+\.(?:csproj|sln))$/;

const RUNNERS =
  /^(?:(?:vitest|vite|jest|ava|karma|playwright|cypress|babel|webpack|rollup|wdio|nyc)\.(?:config|conf|workspace|setup)\b.*|\.(?:mocharc|taprc|nycrc|babelrc|swcrc|rspec|npmrc|yarnrc|coveragerc)\b.*|bunfig\.toml|tsconfig[\w.-]*\.json|pytest\.ini|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|conftest\.py|(?:site|user)customize\.py|[\w-]+\.pth|GNUmakefile|[Mm]akefile|[\w.-]+\.mk|justfile|Taskfile\.ya?ml|Rakefile|build\.rs|rust-toolchain(?:\.toml)?|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|\.env[\w.-]*)$/;

/** Files in the project that are loaded instead of the tool of the same name. */
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
