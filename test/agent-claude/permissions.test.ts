import { describe, expect, test } from "vitest";
import { recorded, resultLine, runFake } from "./fake-backend.ts";

const done = { structured_output: { status: "done" } };
const good = { lines: [resultLine(done)] };

const valueOf = (args: readonly string[], option: string) =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;
const argumentsOf = async (...given: Parameters<typeof runFake>) => (await runFake(...given)).notes[0]?.args ?? [];

describe("S4 the command that runs the tests is allowed, exactly", () => {
  test.each<[string, readonly string[] | null, string | undefined]>([
    ["a command", ["npm", "test"], "Bash(npm test)"],
    [
      "options",
      ["npx", "vitest", "run", "--reporter=dot", "test:unit", "a,b"],
      "Bash(npx vitest run --reporter=dot test:unit a,b)",
    ],
    ["a word with a space", ["sh", "run all.sh"], "Bash(sh 'run all.sh')"],
    ["no command", null, undefined],
    ["nothing", [], undefined],
    ["a star, which stands for anything", ["npm", "run", "test*"], undefined],
    ["a prefix rule", ["npm", "run:*"], undefined],
    ["a bracket, which ends the rule", ["sh", "a) Bash(rm"], undefined],
    ["another command after it", ["npm", "test;", "rm"], undefined],
    ["a variable", ["echo", "$HOME"], undefined],
    ["a command in a command", ["echo", "`id`"], undefined],
    ["a quote", ["echo", "it's"], undefined],
    ["a backslash", ["echo", "a\\b"], undefined],
    ["a new line", ["npm", "test\nrm"], undefined],
    ["a word that is empty", ["npm", ""], undefined],
    ["a first word that sets a variable", ["PATH=/tmp", "npm"], undefined],
    ["letters that look like others", ["npm", "tеst"], undefined],
  ])("%s", async (_, tests, rule) => {
    const args = await argumentsOf([good], { tests });
    expect(valueOf(args, "--allowedTools")).toBe(rule);
    expect(valueOf(args, "--permission-mode")).toBe("acceptEdits");
  });

  test("a reviewer may not even run that", async () => {
    const play = { lines: [resultLine({ structured_output: { approved: true } })] };
    const args = await argumentsOf([play], { role: "reviewer", tests: ["npm", "test"] });
    expect(args).not.toContain("--allowedTools");
  });
});

test("S4 permissions are not bypassed, not even in a sandbox", async () => {
  const args = await argumentsOf([good], { tests: ["npm", "test"] }, { sandbox: (argv) => argv });
  expect(valueOf(args, "--permission-mode")).toBe("acceptEdits");
  expect(args.join(" ")).not.toMatch(/bypass|skip-permissions/);
});

describe("what was refused is told as the rule that would allow it", () => {
  const deniedBy = async (...denials: (readonly [string, unknown])[]) => {
    const permission_denials = denials.map(([tool_name, tool_input]) => ({ tool_name, tool_input }));
    const { end } = await runFake([{ lines: [resultLine({ ...done, permission_denials })] }]);
    return end.how === "result" ? end.denied : end;
  };

  test.each<[string, readonly [string, unknown], string]>([
    ["a command", ["Bash", { command: "npm install left-pad" }], "Bash(npm install left-pad)"],
    ["two commands", ["Bash", { command: "a && b" }], "Bash(a && b)"],
    ["a command that would stand for more", ["Bash", { command: "rm *.log" }], "Bash(rm …)"],
    ["a command of two lines", ["Bash", { command: "cat <<X\nY\nX" }], "Bash(cat <<X…)"],
    ["a long command", ["Bash", { command: `echo ${"x".repeat(500)}` }], `Bash(echo ${"x".repeat(195)}…)`],
    ["a command that is not told", ["Bash", {}], "Bash(…)"],
    ["S7 a command with control characters", ["Bash", { command: "a\u001B[2Jb\u202E" }], "Bash(a…)"],
    ["a page", ["WebFetch", { url: "https://docs.example.org/a?b" }], "WebFetch(domain:docs.example.org)"],
    ["a page without an address", ["WebFetch", { url: "docs" }], "WebFetch(docs)"],
    ["a search", ["WebSearch", { query: "zod" }], "WebSearch"],
    ["a file that is written", ["Write", { file_path: "/etc/hosts", content: "x" }], "Edit(//etc/hosts)"],
    ["a file that is edited", ["Edit", { file_path: "/etc/hosts" }], "Edit(//etc/hosts)"],
    ["a notebook", ["NotebookEdit", { notebook_path: "/a.ipynb" }], "Edit(//a.ipynb)"],
    ["a file that is read", ["Read", { file_path: "/etc/hostname" }], "Read(//etc/hostname)"],
    ["a tool of a server", ["mcp__docs__find", { q: "x" }], "mcp__docs__find"],
    ["input of a kind to come", ["Bash", "npm install"], "Bash(…)"],
  ])("%s", async (_, denial, rule) => {
    expect(await deniedBy(denial)).toEqual([rule]);
  });

  test("once each, of all results, and not without end", async () => {
    const denial = (at: number) => ["Bash", { command: `touch ${at % 30}` }] as const;
    const denied = await deniedBy(...Array.from({ length: 60 }, (_, at) => denial(at)));
    expect(denied).toEqual(Array.from({ length: 20 }, (_, at) => `Bash(touch ${at})`));
    const first = resultLine({ permission_denials: [{ tool_name: "WebSearch" }] });
    expect((await runFake([{ lines: [first, resultLine(done)] }])).end).toMatchObject({ denied: ["WebSearch"] });
  });

  test("nothing where nothing was refused", async () => {
    expect(await deniedBy()).toBeUndefined();
  });

  test.each(["2.1.197", "2.1.325"])("as version %s tells it", async (version) => {
    const { end } = await runFake([{ lines: recorded(`phase-${version}`) }], { cwd: "/" });
    expect(end).toMatchObject({ how: "result", denied: ["Bash(npm test)"] });
  });
});
