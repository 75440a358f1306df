import { describe, expect, test } from "vitest";
import { parseTestCommand, testCommandText } from "../../src/core/test-command.ts";

describe("parseTestCommand", () => {
  test.each<[string, string[][]]>([
    ["npm test", [["npm", "test"]]],
    ["  uv run pytest -k 'a or b'  ", [["uv", "run", "pytest", "-k", "a or b"]]],
    [
      "npm run lint && npm test",
      [
        ["npm", "run", "lint"],
        ["npm", "test"],
      ],
    ],
    ["a&&b && c", [["a"], ["b"], ["c"]]],
    ["sh -c 'npm test | tee log'", [["sh", "-c", "npm test | tee log"]]],
    ["npm test -- --grep=a=b", [["npm", "test", "--", "--grep=a=b"]]],
    [String.raw`echo \$HOME a\&\&b`, [["echo", "$HOME", "a&&b"]]],
    ['pytest -k "a && b | c > d"', [["pytest", "-k", "a && b | c > d"]]],
    ["grep ^a$ file", [["grep", "^a$", "file"]]],
  ])("splits %s without a shell", (text, commands) => {
    expect(parseTestCommand(text)).toEqual({ ok: true, commands });
  });

  test.each<[string, string]>([
    ["npm test | tee log", "|"],
    ["a || b", "||"],
    ["a; b", ";"],
    ["a & b", "&"],
    ["echo $HOME", "$H"],
    ['echo "$HOME"', "$H"],
    ['echo "`id`"', "`"],
    ["echo $(id)", "$("],
    ["npm test > log", ">"],
    ["npm test 2>&1", "2>"],
    ["node --test test/*.js", "*"],
    ["(cd a)", "("],
    ["CI=1 npm test", "CI="],
    ["npm test\nid", "a line break"],
  ])("names the shell syntax in %j", (text, shell) => {
    expect(parseTestCommand(text)).toMatchObject({ ok: false, shell });
  });

  test.each(["", "  ", "a && ", "'a", "a\0b"])("rejects %j", (text) => {
    expect(parseTestCommand(text)).toMatchObject({ ok: false, shell: null });
  });
});

test("joins several commands with &&", () => {
  expect(testCommandText({ argv: ["npm", "run", "lint"], more: [["npm", "test"]] })).toBe("npm run lint && npm test");
});
