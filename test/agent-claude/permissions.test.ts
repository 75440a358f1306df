import { describe, expect, test } from "vitest";
import { recorded, resultLine, runFake } from "./fake-backend.ts";

const done = { structured_output: { status: "done" } };
const good = { lines: [resultLine(done)] };

const valueOf = (args: readonly string[], option: string) =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;
const argumentsOf = async (...given: Parameters<typeof runFake>) => (await runFake(...given)).notes[0]?.args ?? [];

describe("permission for the test command [S4]", () => {
  test.each<[string, readonly string[] | null, string | undefined]>([
    ["covers a command", ["npm", "test"], "Bash(npm test)"],
    [
      "covers options",
      ["npx", "vitest", "run", "--reporter=dot", "test:unit", "a,b"],
      "Bash(npx vitest run --reporter=dot test:unit a,b)",
    ],
    ["quotes a word with a space", ["sh", "run all.sh"], "Bash(sh 'run all.sh')"],
    ["is missing without a command", null, undefined],
    ["is missing for an empty command", [], undefined],
    ["is missing for a wildcard", ["npm", "run", "test*"], undefined],
    ["is missing for a prefix rule", ["npm", "run:*"], undefined],
    ["is missing for a bracket, which would end the rule", ["sh", "a) Bash(rm"], undefined],
    ["is missing for a second command", ["npm", "test;", "rm"], undefined],
    ["is missing for a variable", ["echo", "$HOME"], undefined],
    ["is missing for a command substitution", ["echo", "`id`"], undefined],
    ["is missing for a quote", ["echo", "it's"], undefined],
    ["is missing for a backslash", ["echo", "a\\b"], undefined],
    ["is missing for a line break", ["npm", "test\nrm"], undefined],
    ["is missing for an empty word", ["npm", ""], undefined],
    ["is missing for a variable assignment", ["PATH=/tmp", "npm"], undefined],
    ["is missing for letters that look like others", ["npm", "tеst"], undefined],
  ])("%s", async (_, tests, rule) => {
    const args = await argumentsOf([good], { tests });
    expect(valueOf(args, "--allowedTools")).toBe(rule);
    expect(valueOf(args, "--permission-mode")).toBe("acceptEdits");
  });

  test("is never given to a reviewer", async () => {
    const play = { lines: [resultLine({ structured_output: { approved: true } })] };
    const args = await argumentsOf([play], { role: "reviewer", tests: ["npm", "test"] });
    expect(args).not.toContain("--allowedTools");
  });
});

test("never bypasses permissions, even in a sandbox [S4]", async () => {
  const args = await argumentsOf([good], { tests: ["npm", "test"] }, { sandbox: (argv) => argv });
  expect(valueOf(args, "--permission-mode")).toBe("acceptEdits");
  expect(args.join(" ")).not.toMatch(/bypass|skip-permissions/);
});

describe("rule for a denied call", () => {
  const deniedBy = async (...denials: (readonly [string, unknown])[]) => {
    const permission_denials = denials.map(([tool_name, tool_input]) => ({ tool_name, tool_input }));
    const { end } = await runFake([{ lines: [resultLine({ ...done, permission_denials })] }]);
    return end.how === "result" ? end.denied : end;
  };

  test.each<[string, readonly [string, unknown], string]>([
    ["a command", ["Bash", { command: "npm install left-pad" }], "Bash(npm install left-pad)"],
    ["two commands", ["Bash", { command: "a && b" }], "Bash(a && b)"],
    ["a command with a wildcard", ["Bash", { command: "rm *.log" }], "Bash(rm …)"],
    ["a command of two lines", ["Bash", { command: "cat <<X\nY\nX" }], "Bash(cat <<X…)"],
    ["a long command", ["Bash", { command: `echo ${"x".repeat(500)}` }], `Bash(echo ${"x".repeat(195)}…)`],
    ["a missing command", ["Bash", {}], "Bash(…)"],
    ["a command with control characters [S7]", ["Bash", { command: "a\u001B[2Jb\u202E" }], "Bash(a…)"],
    ["a page", ["WebFetch", { url: "https://docs.example.org/a?b" }], "WebFetch(domain:docs.example.org)"],
    ["a page with an invalid URL", ["WebFetch", { url: "docs" }], "WebFetch(docs)"],
    ["a search", ["WebSearch", { query: "zod" }], "WebSearch"],
    ["a written file", ["Write", { file_path: "/etc/hosts", content: "x" }], "Edit(//etc/hosts)"],
    ["an edited file", ["Edit", { file_path: "/etc/hosts" }], "Edit(//etc/hosts)"],
    ["a notebook", ["NotebookEdit", { notebook_path: "/a.ipynb" }], "Edit(//a.ipynb)"],
    ["a read file", ["Read", { file_path: "/etc/hostname" }], "Read(//etc/hostname)"],
    ["an MCP tool", ["mcp__docs__find", { q: "x" }], "mcp__docs__find"],
    ["unknown input", ["Bash", "npm install"], "Bash(…)"],
  ])("describes %s", async (_, denial, rule) => {
    expect(await deniedBy(denial)).toEqual([rule]);
  });

  test("appears once per call, up to 20, from all results", async () => {
    const denial = (at: number) => ["Bash", { command: `touch ${at % 30}` }] as const;
    const denied = await deniedBy(...Array.from({ length: 60 }, (_, at) => denial(at)));
    expect(denied).toEqual(Array.from({ length: 20 }, (_, at) => `Bash(touch ${at})`));
    const first = resultLine({ permission_denials: [{ tool_name: "WebSearch" }] });
    expect((await runFake([{ lines: [first, resultLine(done)] }])).end).toMatchObject({ denied: ["WebSearch"] });
  });

  test("is missing without denied calls", async () => {
    expect(await deniedBy()).toBeUndefined();
  });

  test.each(["2.1.197", "2.1.325"])("is read from version %s", async (version) => {
    const { end } = await runFake([{ lines: recorded(`phase-${version}`) }], { cwd: "/" });
    expect(end).toMatchObject({ how: "result", denied: ["Bash(npm test)"] });
  });
});
