/** Files that programs run or obey without being asked to, and files that decide how tests run. */
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
