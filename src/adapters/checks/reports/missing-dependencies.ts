import { isRecord, ownValue } from "../../../core/own-value.ts";
import type { ProjectFiles } from "../detectors/project-files.ts";

/** Failed tests: the command and its output. */
export type FailedTests = { readonly argv: readonly string[]; readonly output: string };

type DependencyReader = (files: ProjectFiles, failed: FailedTests) => string | null;

/** Returns a missing dependency of the tests, with the command that installs it. Null for other failures. */
export function missingDependencies(files: ProjectFiles, failed: FailedTests): string | null {
  for (const read of READERS) {
    const missing = read(files, failed);
    if (missing !== null) return missing;
  }
  return null;
}

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const DECLARED_IN = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/** A package counts only if the project declares it: an undeclared one is a bug in the code. */
const node: DependencyReader = (files, { argv, output }) => {
  const [manager = ""] = argv;
  if (!PACKAGE_MANAGERS.has(manager)) return null;
  const declared = declaredPackages(files.text("package.json"));
  if (declared.size === 0 || files.exists(".pnp.cjs")) return null;
  if (!files.exists("node_modules")) return `node_modules is missing: run ${manager} install`;
  const asked = [...output.matchAll(/Cannot find (?:module|package) '([^'./][^']*)'/g)].map(([, name = ""]) => name);
  const name = asked.map(toPackageName).find((one) => declared.has(one) && !files.exists(`node_modules/${one}`));
  if (name !== undefined) return `the package ${name} is declared and not installed: run ${manager} install`;
  const program = /^(?:sh|bash): (?:\d+: )?(?:line \d+: )?([\w./-]+): (?:command )?not found$/m.exec(output)?.[1];
  return program === undefined ? null : `${program} was not found: run ${manager} install`;
};

function declaredPackages(manifest: string | null): ReadonlySet<string> {
  const parsed = parseOrNull(manifest);
  return new Set(
    DECLARED_IN.flatMap((part) => {
      const packages = ownValue(parsed, part);
      return isRecord(packages) ? Object.keys(packages) : [];
    }),
  );
}

function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // not JSON: nothing is declared
  }
}

/** Removes the path of a file in a package: `@scope/name/deep`, `name/deep`. */
const toPackageName = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

const PYTHON_LISTS = ["requirements.txt", "requirements-dev.txt", "pyproject.toml", "Pipfile", "setup.cfg", "setup.py"];

const python: DependencyReader = (files, { argv, output }) => {
  const name = /No module named '?([\w.]+)'?/.exec(output)?.[1]?.split(".")[0];
  if (name === undefined || !argv.includes("pytest")) return null;
  const isDeclared = PYTHON_LISTS.some((file) => new RegExp(`\\b${name}\\b`, "i").test(files.text(file) ?? ""));
  return name === "pytest" || isDeclared ? `the Python module ${name} is not installed` : null;
};

/** Messages of tools that have to download a dependency and may not, or cannot. */
const DOWNLOADS: readonly (readonly [program: string, said: RegExp, command: string])[] = [
  ["cargo", /no matching package named|failed to (?:download|get) `|--offline was specified/, "cargo fetch"],
  ["go", /module lookup disabled by GOPROXY=off|missing go\.sum entry/, "go mod download"],
  ["bundle", /Could not find .+ in (?:.+ sources|locally installed gems)/, "bundle install"],
  ["mix", /Unchecked dependencies for environment/, "mix deps.get"],
];

const downloads: DependencyReader = (_files, { argv, output }) => {
  const found = DOWNLOADS.find(([program, said]) => argv[0] === program && said.test(output));
  return found === undefined ? null : `a dependency was not downloaded: run ${found[2]}`;
};

const READERS: readonly DependencyReader[] = [node, python, downloads];
