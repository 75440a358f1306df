/** What a file is for, by its path alone. */
export type FileKind = "contract" | "code" | "settings" | "example" | "test" | "document" | "lock" | "generated";

/** Returns what a file is for. Tests come before everything but lock files: nothing else may fold one. */
export function fileKind(path: string): FileKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (LOCK_FILES.has(name)) return "lock";
  if (isTest(path)) return "test";
  if (GENERATED.test(path)) return "generated";
  if (CI.test(path)) return "settings";
  const kind = ordinaryKind(path);
  return (kind === "code" || kind === "settings") && CONTRACT.test(path) ? "contract" : kind;
}

function ordinaryKind(path: string): FileKind {
  if (isSource(path) && !SITE.test(path)) {
    if (EXAMPLE.test(path)) return "example";
    return SETTINGS_NAME.test(path) ? "settings" : "code";
  }
  if (SETTINGS_NAME.test(path) || SETTINGS_EXTENSION.test(path)) return "settings";
  return DOCUMENT.test(path) ? "document" : "settings";
}

const LOCK_FILES = new Set(
  "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock go.sum Cargo.lock poetry.lock uv.lock pdm.lock Pipfile.lock Gemfile.lock composer.lock flake.lock mix.lock".split(
    " ",
  ),
);

const SOURCE =
  /\.(?:[cm]?[jt]sx?|pyx?|pyi|go|rs|java|kts?|scala|groovy|c|h|cc|cpp|hpp|m|mm|cs|fs|rb|php|swift|dart|lua|zig|exs?|erl|hs|clj|vue|svelte|astro|sh|bash|zsh|ps1|sql)$/;
/** True for source code by its file extension, including tests and generated files. */
export const isSource = (path: string): boolean => SOURCE.test(path);

/**
 * Names of generated files that are safe to fold. Broader names hid real source: `build/` was the core of a program,
 * `*schema.json` was written by hand.
 */
const GENERATED =
  /(?:^|\/)(?:node_modules|bower_components|__generated__|\.yarn)\/|^(?:vendor|third_party|Godeps)\/|(?:^|\/)dist\/.*\.(?:[cm]?js|css|map)$|\.(?:pb\.(?:go|ts|rs)|min\.(?:js|css)|(?:js|css)\.map|g\.dart)$|_pb2(?:_grpc)?\.pyi?$|(?:^|\/)zz_generated[^/]*\.go$/i;

const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|test[-_]?data|__fixtures__|fixtures?|__snapshots__|__mocks__|benche?s?|benchmarks?|acceptance)\//i;
const TEST_NAME =
  /(?:^|\/)(?:test_[^/]*\.py|conftest\.py|test-[^/]*\.[a-z]+|tests?\.(?:rs|ts|js|py|go)|[^/]+Tests?\.(?:java|kt|cs|scala|swift|php))$|(?:[_.-](?:test|spec|tests)|\.(?:test-d|e2e|bench))\.[a-z]+$|_testing\.go$|\.snap$/i;
/** True for tests, their data and benchmarks. */
export const isTest = (path: string): boolean => TEST_FOLDER.test(path) || TEST_NAME.test(path);

const CI =
  /(?:^|\/)(?:\.github|\.circleci)\/|(?:^|\/)(?:\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines[^/]*|\.appveyor\.yml|Dockerfile[^/]*|Makefile|justfile|Jenkinsfile)$/i;
const SITE = /(?:^|\/)(?:docs?|www|website)\//;
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|playground)\//i;
const SETTINGS_NAME =
  /(?:^|\/)(?:setup\.py|noxfile\.py|build\.rs|conf\.py|go\.mod|requirements[^/]*\.txt|\.eslintrc[^/]*|[\w-]+\.config\.[cm]?[jt]s|CMakeLists\.txt)$/i;
const SETTINGS_EXTENSION = /\.(?:ya?ml|toml|ini|cfg|json[5c]?|properties|gradle|xml|tf|nix)$/i;
const DOCUMENT =
  /\.(?:md|mdx|markdown|rst|adoc|txt|svg)$|(?:^|\/)(?:docs?|www|website|changelog|news|changelog\.d|\.changeset|\.changelog|man)\/|(?:^|\/)(?:README|CHANGELOG|CHANGES|LICENSE|AUTHORS|CONTRIBUTING|HISTORY|NEWS)[^/]*$/i;
/** Files on whose shape other code depends. The list is strict: names like `api` are too common. */
const CONTRACT =
  /\.(?:proto|graphql|gql|avsc|xsd|thrift|prisma)$|(?:^|\/)(?:migrations?|schemas?|alembic)\/|\.d\.[cm]?ts$|(?:^|\/)(?:types?|schema|interfaces?|_?typing)\.(?:[cm]?tsx?|js|pyi?|go|rs)$/i;
