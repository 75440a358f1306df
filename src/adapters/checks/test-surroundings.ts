import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { OWN_FOLDER } from "../../core/own-folder.ts";
import { FOR_TESTS, pickVariables, type Environment } from "../process/child-environment.ts";

/** Ignored inputs: files ignored by git but read by tests. Paths are relative to the working tree. */
export type TestSurroundings = {
  /** Installed by package managers; mounted read-only. */
  readonly dependencies: readonly string[];
  /** All other ignored files except caches: copied, or mounted read-only if they are too large to copy. */
  readonly others: readonly string[];
  /** Compiled modules in places where Python takes them for sources: never copied, but compared. */
  readonly compiled: readonly string[];
};

/** Names of folders filled by package managers. */
const DEPENDENCIES = new Set(
  "node_modules bower_components .yarn .pnp.cjs .pnp.loader.mjs .venv venv virtualenv vendor .bundle Pods deps".split(
    " ",
  ),
);
/** Excluded: compiled files, which tools would prefer to the sources, and files that tools leave behind. */
const DERIVED = new Set([
  OWN_FOLDER,
  ...".git __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox target coverage htmlcov .nyc_output .cache .parcel-cache .turbo .gradle .eslintcache".split(
    " ",
  ),
]);
const DERIVED_FILE = /\.(?:py[co]|tsbuildinfo|log|tmp|swp)$/;

/** Groups the ignored paths. A trailing slash marks a folder. */
export function testSurroundings(root: string, ignored: readonly string[]): TestSurroundings {
  const kept = ignored
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => !path.split("/").some((part) => DERIVED.has(part)) && !DERIVED_FILE.test(path));
  const isDependency = (path: string): boolean =>
    DEPENDENCIES.has(basename(path)) || existsSync(join(root, path, "pyvenv.cfg"));
  return {
    dependencies: kept.filter(isDependency),
    others: kept.filter((path) => !isDependency(path)),
    compiled: ignored.filter((path) => /\.py[co]$/.test(path) && !path.includes("__pycache__/")),
  };
}

/** Caches of tools in the folder of packages. */
const CACHE_NAMES = new Set([".cache", ".vite", ".vite-temp", ".vitest", ".tmp", ".package-lock.json"]);

export const isRegenerated = (name: string): boolean => CACHE_NAMES.has(name);

type TestEnvironmentOptions = {
  /** Additional variables that the user passes to the tests. */
  readonly variables: readonly string[];
  /** True to make tools avoid the network: they would wait for an answer. */
  readonly offline: boolean;
  /** Cache folder for Python, which would otherwise prefer compiled files next to a source to the source. */
  readonly caches: string;
};

/** Returns a new environment for the tests, which are code of the agent: only listed variables reach them. */
export function testEnvironment(
  env: Environment,
  { variables, offline, caches }: TestEnvironmentOptions,
): Record<string, string> {
  const kept = pickVariables(env, [...FOR_TESTS, ...variables.filter((name) => !name.endsWith("*"))]);
  return { ...kept, ...(offline ? OFFLINE : {}), CI: "1", PYTHONPYCACHEPREFIX: caches };
}

const OFFLINE = { CARGO_NET_OFFLINE: "true", GOPROXY: "off", npm_config_offline: "true", npm_config_audit: "false" };
