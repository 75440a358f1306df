import { describe, expect, test } from "vitest";
import { verbs } from "../../src/surfaces/cli/grammar/catalog.ts";
import { parse } from "../../src/surfaces/cli/grammar/parse.ts";
import { describe as describeProblem, ProblemError } from "../../src/core/problem.ts";

/** The message, or the name of the parsed command. */
function outcome(...args: string[]): string {
  try {
    return parse(args).verb?.name ?? "bare";
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "USAGE") throw error;
    const { what, fix } = describeProblem(error.problem);
    return `${what}\n${fix}`;
  }
}

describe("single word", () => {
  test.each([
    ["list", "isdlc run change list"],
    ["Löschen", "isdlc run change 'Löschen'"],
    ["it's", String.raw`isdlc run change 'it'\''s'`],
    ["REQ-0001-login", "isdlc run change REQ-0001-login"],
    ["  list  ", "isdlc run change list"],
  ])("is rejected with the command that would start work: %s", (word, anyway) => {
    for (const more of [[], ["--supervised"], ["--help"]]) {
      const told = outcome(word, ...more);
      expect(told).toContain(`Unknown command "${word.trim()}"`);
      expect(told.endsWith(`: ${anyway}`), told).toBe(true);
    }
  });

  test.each([
    [["tidy up"], "do"],
    [["tidy", "up"], "do"],
    [["修复登录错误"], "do"],
    [["แก้ไขการเข้าสู่ระบบ"], "do"],
    [["--", "list"], "do"],
    [["run", "change", "list"], "run"],
    [["fix", "login"], "fix"],
    [["--json"], "bare"],
  ])("is accepted: %j", (args, verb) => {
    expect(outcome(...args)).toBe(verb);
  });
});

describe("misspelled command", () => {
  test.each([
    ["fixx", "fix"],
    ["addd", "add"],
    ["runn", "run"],
    ["statuss", "status"],
    ["statsu", "status"],
    ["contine", "continue"],
  ])("suggests the nearest command for %s: %s", (word, verb) => {
    for (const more of [[], ["Loyalty"], ["Loyalty", "discount"]])
      expect(outcome(word, ...more)).toContain(`Unknown command "${word}"; did you mean "${verb}"?`);
    expect(outcome("help", word)).toContain(`did you mean "${verb}"?`);
  });

  test.each([["fit the header"], ["fixx the header"], ["fixe", "the header"]])("treats %j as a task", (...args) => {
    expect(outcome(...args)).toBe("do");
  });

  test("rejects help for an unknown word", () => {
    expect(outcome("help", "foo")).toContain('Unknown command "foo".\nUsage: isdlc help [command | topic | --all]');
    expect(outcome("help")).toBe("help");
    expect(outcome("help", "redo")).toBe("help");
    expect(outcome("help", "recovery")).toBe("help");
    expect(outcome("help", "--all")).toBe("help");
  });

  test.each([
    [["spec", "design"], "design"],
    [["spec", "verify", "03-design"], "verify"],
    [["spec"], "help"],
    [["team", "request", "tidy up"], "request"],
    [["team", "tokens"], "team"],
  ])("accepts a command after the name of its group: %j", (args, name) => {
    expect(outcome(...args)).toBe(name);
  });

  test("suggests the nearest command of a group", () => {
    expect(outcome("spec", "desing")).toContain('Unknown command "spec desing"; did you mean "spec design"?');
    expect(outcome("spec", "the", "login page")).toBe("do");
  });

  test("suggests the nearest option", () => {
    expect(outcome("status", "--jsno")).toContain(`Unknown option '--jsno'. Did you mean "--json"?`);
    expect(outcome("status", "--al")).not.toContain("Did you mean");
    expect(outcome("tidy up", "--supervise")).toContain('Did you mean "--supervised"?');
    expect(outcome("status", "--nonsense")).not.toContain("Did you mean");
  });
});

describe("extra arguments", () => {
  const wordless =
    "init status next begin report gate check history continue review resume fresh skip cancel trust token doctor agents verify-journal ui push-run pull-run worker demo mcp version";

  test("are rejected by exactly the commands that take none", () => {
    const refusing = verbs
      .filter(({ name }) => name !== "do" && name !== "help")
      .filter(({ name }) => outcome(name, "extra", "words").includes('takes no further arguments, but got "extra'));
    expect(refusing.map(({ name }) => name).toSorted()).toEqual(wordless.split(" ").toSorted());
  });

  test("include no values of options", () => {
    expect(outcome("cancel", "--reason", "no longer needed")).toBe("cancel");
    expect(outcome("status", "-C", "elsewhere")).toBe("status");
  });
});

test("names the command for an invalid run id", () => {
  expect(outcome("history", "--run", "nope")).toMatch(/^Invalid run id "nope".*\nUsage: isdlc history --run <id>$/);
  expect(outcome("--run", "nope")).toContain("Usage: isdlc <command> --run <id>");
  expect(outcome("history", "--run", "20260101-000000000-abcd")).toBe("history");
});
