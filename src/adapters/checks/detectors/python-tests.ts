import type { ProjectFiles } from "./project-files.ts";
import { findSections, readTexts, type Detector, type NamedText } from "./detector.ts";

/** By lock file. Without one, tests use the interpreter on PATH, which is that of an active virtual environment. */
const LAUNCHERS: readonly (readonly [file: string, argv: readonly string[]])[] = [
  ["uv.lock", ["uv", "run", "pytest"]],
  ["poetry.lock", ["poetry", "run", "pytest"]],
  ["pdm.lock", ["pdm", "run", "pytest"]],
  ["Pipfile.lock", ["pipenv", "run", "pytest"]],
];

const CONFIGURED_IN: readonly (readonly [file: string, header: RegExp])[] = [
  ["pyproject.toml", /^\[tool\.pytest\b/],
  ["tox.ini", /^\[pytest\]/],
  ["setup.cfg", /^\[tool:pytest\]/],
];

const TEST_MODULE = /^test_.*\.py$|_test\.py$/;
const MAX_PACKAGE_FOLDERS = 50;

export const pythonTests: Detector = (files) => {
  const own = readTexts(files, ["pytest.ini", ".pytest.ini"]);
  const shared = CONFIGURED_IN.flatMap(([file, header]): NamedText[] => {
    const section = findSections(files.text(file) ?? "", header);
    return section === "" ? [] : [[file, section]];
  });
  const [first] = [...own, ...shared];
  if (first === undefined && !hasTestModules(files)) return null;
  return {
    argv: LAUNCHERS.find(([lock]) => files.exists(lock))?.[1] ?? ["python3", "-m", "pytest"],
    source: first?.[0] ?? "Python test files",
    definition: [...own, ...shared],
  };
};

function hasTestModules(files: ProjectFiles): boolean {
  const nested = files
    .names("tests")
    .slice(0, MAX_PACKAGE_FOLDERS)
    .map((name) => `tests/${name}`);
  return [".", "tests", "test", ...nested].some((folder) => files.names(folder).some((name) => TEST_MODULE.test(name)));
}
