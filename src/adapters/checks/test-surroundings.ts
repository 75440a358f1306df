import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { OWN_FOLDER } from "../../core/own-folder.ts";

/** What git ignores in a working tree and tests read all the same. Paths are relative to the tree. */
export type TestSurroundings = {
  /** Installed by package managers: shown read-only. */
  readonly dependencies: readonly string[];
  /** Everything else that is ignored, but for caches: copied, or shown read-only where it is too much to copy. */
  readonly others: readonly string[];
};

/** Names of folders that package managers fill. */
const DEPENDENCIES = new Set(
  "node_modules bower_components .yarn .pnp.cjs .pnp.loader.mjs .venv venv virtualenv vendor .bundle Pods deps".split(
    " ",
  ),
);
/** What tools derive from the sources and then prefer to them, and what they leave behind. */
const DERIVED = new Set([
  OWN_FOLDER,
  ...".git __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox target coverage htmlcov .nyc_output .cache .parcel-cache .turbo .gradle .eslintcache".split(
    " ",
  ),
]);
const DERIVED_FILE = /\.(?:py[co]|tsbuildinfo|log|tmp|swp)$/;

/** Sorts what is ignored; a trailing slash marks a folder. */
export function testSurroundings(root: string, ignored: readonly string[]): TestSurroundings {
  const kept = ignored
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => !path.split("/").some((part) => DERIVED.has(part)) && !DERIVED_FILE.test(path));
  const isDependency = (path: string): boolean =>
    DEPENDENCIES.has(basename(path)) || existsSync(join(root, path, "pyvenv.cfg"));
  return { dependencies: kept.filter(isDependency), others: kept.filter((path) => !isDependency(path)) };
}

/**
 * A digest for each part of the surroundings, by name. It covers names, sizes and the times at which the system last saw a
 * file change, which nobody can date back: the contents are not read. Dependencies count package by package.
 */
export function surroundingsDigests(root: string, { dependencies, others }: TestSurroundings): Record<string, string> {
  const parts = [...dependencies.flatMap((path) => packagesIn(root, path)), ...others];
  return Object.fromEntries(parts.map((path) => [path, digestBelow(root, path)]));
}

/** Caches that tools keep among the packages. */
const CACHE_NAMES = new Set([".cache", ".vite", ".vite-temp", ".vitest", ".tmp", ".package-lock.json"]);

export const isRegenerated = (name: string): boolean => CACHE_NAMES.has(name);

function packagesIn(root: string, folder: string): readonly string[] {
  if (basename(folder) !== "node_modules") return [folder];
  const names = namesIn(join(root, folder)).filter((name) => !isRegenerated(name));
  return names.map((name) => `${folder}/${name}`);
}

/** More files than this are not looked at one by one. */
const MOST_FILES = 200_000;

function digestBelow(root: string, path: string): string {
  const hash = createHash("sha256");
  const waiting = [path];
  for (let seen = 0; waiting.length > 0 && seen < MOST_FILES; seen++) {
    const next = waiting.pop() ?? "";
    if (basename(next) === "__pycache__") continue;
    const facts = lstatSync(join(root, next), { throwIfNoEntry: false });
    if (facts === undefined) continue;
    if (facts.isDirectory()) waiting.push(...namesIn(join(root, next)).map((name) => `${next}/${name}`));
    else hash.update(`${next}\0${facts.mode}\0${facts.size}\0${facts.mtimeMs}\0${facts.ctimeMs}\0${facts.ino}\n`);
  }
  return hash.digest("hex").slice(0, 32);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // not a folder, or not for us
  }
}
