import { ownValue } from "../../../core/own-value.ts";
import { findSections, readTexts, type Detector } from "./detector.ts";

/** Task runners and test tools with their own configuration files. */

const JUSTFILES = ["justfile", "Justfile", ".justfile"];
const TASKFILES = ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"];

export const justTests: Detector = (files) => {
  const source = JUSTFILES.find((name) => /^@?test(?:\s[^:=\n]*)?:(?!=)/m.test(files.text(name) ?? ""));
  return source === undefined ? null : { argv: ["just", "test"], source, definition: readTexts(files, [source]) };
};

export const taskfileTests: Detector = (files) => {
  const source = TASKFILES.find((name) => /^tasks:\s*\n(?:.*\n)*?\s+test:/m.test(files.text(name) ?? ""));
  return source === undefined ? null : { argv: ["task", "test"], source, definition: readTexts(files, [source]) };
};

export const toxTests: Detector = (files) => {
  const inProject = findSections(files.text("pyproject.toml") ?? "", /^\[tool\.tox\b/);
  const source = files.text("tox.ini") !== null ? "tox.ini" : files.text("tox.toml") !== null ? "tox.toml" : null;
  if (source !== null) return { argv: ["tox"], source, definition: readTexts(files, [source]) };
  if (inProject === "") return null;
  return { argv: ["tox"], source: "pyproject.toml", definition: [["pyproject.toml", inProject]] };
};

export const noxTests: Detector = (files) => {
  const text = files.text("noxfile.py");
  if (text === null) return null;
  const session = /^def (tests?)\(/m.exec(text)?.[1];
  const argv = session === undefined ? ["nox"] : ["nox", "--session", session];
  return { argv, source: "noxfile.py", definition: readTexts(files, ["noxfile.py"]) };
};

/** Uses `hatch run test` if an environment has a script of that name. */
export const hatchTests: Detector = (files) => {
  const text = files.text("pyproject.toml") ?? "";
  const definition = findSections(text, /^\[tool\.hatch\.envs\b/);
  if (definition === "") return null;
  const script = /^\[tool\.hatch\.envs\.([\w-]+)\.scripts\]\n(?:(?!\[).*\n)*?test\s*=/m.exec(`${definition}\n`);
  const argv = script === null ? ["hatch", "test"] : ["hatch", "run", named(script[1] ?? "default")];
  return { argv, source: "pyproject.toml", definition: [["pyproject.toml", definition]] };
};

const named = (environment: string): string => (environment === "default" ? "test" : `${environment}:test`);

const PHPUNIT_FILES = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"];

/** Uses the script of composer.json, otherwise PHPUnit as installed by composer. */
export const phpTests: Detector = (files) => {
  const definition = readTexts(files, PHPUNIT_FILES);
  const script = ownValue(ownValue(parseOrNull(files.text("composer.json")), "scripts"), "test");
  if (script !== undefined && script !== null) {
    const text = typeof script === "string" ? script : JSON.stringify(script).slice(0, MAX_TASK_LINE_LENGTH);
    return { argv: ["composer", "test"], source: "composer.json", definition: [["scripts.test", text], ...definition] };
  }
  const [first] = definition;
  return first === undefined ? null : { argv: ["vendor/bin/phpunit"], source: first[0], definition };
};

const MAX_TASK_LINE_LENGTH = 5000;

function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // composer could not read it either
  }
}
