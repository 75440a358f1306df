import { isRecord, ownValue } from "../../../core/own-value.ts";
import type { ProjectFiles } from "./project-files.ts";
import { readTexts, type Detector, type NamedText } from "./detector.ts";

type Manager = { readonly name: string; readonly locks: readonly string[]; readonly argv: readonly string[] };

/** `bun test` and `yarn test` may be the tool's own runner; `run` always starts the script. */
const MANAGERS: readonly Manager[] = [
  { name: "pnpm", locks: ["pnpm-lock.yaml"], argv: ["pnpm", "test"] },
  { name: "yarn", locks: ["yarn.lock"], argv: ["yarn", "run", "test"] },
  { name: "bun", locks: ["bun.lock", "bun.lockb"], argv: ["bun", "run", "test"] },
  { name: "npm", locks: ["package-lock.json", "npm-shrinkwrap.json"], argv: ["npm", "test"] },
];
const NPM: Manager = { name: "npm", locks: [], argv: ["npm", "test"] };

/** Files that can replace the shell of scripts, or disable scripts. */
const MANAGER_FILES = [".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "bunfig.toml"];
const RUNNER_FILE = /^(?:vitest\.(?:config|workspace)|jest\.config|ava\.config|\.mocharc|\.taprc|karma\.conf)\b/;
const VITE_FILE = /^vite\.config\./;
const RUNNER_KEYS = ["jest", "mocha", "ava", "tap", "nyc", "c8"];

const PLACEHOLDER = /\bno test specified\b/;
const MAX_SHOWN_LENGTH = 120;

export const packageTests: Detector = (files) => {
  const manifest = parseOrNull(files.text("package.json"));
  const scripts = ownValue(manifest, "scripts");
  const test = ownValue(scripts, "test");
  if (typeof test !== "string" || test.trim() === "" || PLACEHOLDER.test(test)) return null;
  return {
    argv: detectManager(files, manifest).argv,
    source: `package.json: ${test.replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ").slice(0, MAX_SHOWN_LENGTH)}`,
    definition: packageDefinition(files, ["test"]),
  };
};

/** Returns everything in `package.json` and next to it that decides what these scripts run. */
export function packageDefinition(files: ProjectFiles, names: readonly string[]): NamedText[] {
  const manifest = parseOrNull(files.text("package.json"));
  const deciding = decidingScripts(ownValue(manifest, "scripts"), names);
  return [...deciding, ...runnerSettings(manifest), ...readTexts(files, settingFiles(files, deciding))];
}

function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // not JSON: the manager could not run it either
  }
}

function detectManager(files: ProjectFiles, manifest: unknown): Manager {
  const named = String(ownValue(manifest, "packageManager")).split("@")[0];
  return (
    MANAGERS.find(({ locks }) => locks.some((lock) => files.exists(lock))) ??
    MANAGERS.find(({ name }) => name === named) ??
    NPM
  );
}

/** Returns the named scripts, their `pre` and `post` scripts, and every script mentioned by name in one of them. */
function decidingScripts(scripts: unknown, names: readonly string[]): NamedText[] {
  const found = new Map<string, string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const text = ownValue(scripts, name);
    if (typeof text !== "string" || found.has(name)) continue;
    found.set(name, text);
    waiting.push(`pre${name}`, `post${name}`, ...splitWords(text));
  }
  return [...found].map(([name, text]): NamedText => [`scripts.${name}`, text]).sort(inOrder);
}

/** Scripts run by the manager. They come first, in this order. */
const RUN_ORDER = ["scripts.pretest", "scripts.test", "scripts.posttest"];

function inOrder([a]: NamedText, [b]: NamedText): number {
  const [first, second] = [RUN_ORDER.indexOf(a), RUN_ORDER.indexOf(b)];
  if (first !== -1 && second !== -1) return first - second;
  return second - first || (a < b ? -1 : 1);
}

const splitWords = (text: string): string[] => text.split(/[^\w:@./-]+/).filter((word) => word !== "");

function runnerSettings(manifest: unknown): NamedText[] {
  return RUNNER_KEYS.flatMap((key): NamedText[] => {
    const settings = ownValue(manifest, key);
    return isRecord(settings) ? [[key, shallowText(settings)]] : [];
  });
}

/** Endless nesting would overflow the stack. */
function shallowText(settings: Record<string, unknown>): string {
  try {
    return JSON.stringify(settings);
  } catch {
    return "(nested too deep)";
  }
}

function settingFiles(files: ProjectFiles, scripts: readonly NamedText[]): string[] {
  const words = new Set(scripts.flatMap(([, text]) => splitWords(text)));
  const runners = files
    .names(".")
    .filter((name) => RUNNER_FILE.test(name) || (VITE_FILE.test(name) && words.has("vitest")));
  const shellScripts = [...words].filter((word) => word.endsWith(".sh")).sort();
  return [...MANAGER_FILES, ...runners, ...shellScripts];
}
