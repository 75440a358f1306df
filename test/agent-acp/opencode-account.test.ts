import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askAccount } from "../../src/adapters/agents/acp/account.ts";
import { opencodeAccount } from "../../src/adapters/agents/acp/opencode.ts";

const answer = (row: object): string => JSON.stringify([row], null, 2);

describe("opencode usage from its records", () => {
  test.each([
    ["is the sum of all calls", answer({ input: 621, output: 96, usd: 0.5 }), { input: 621, output: 96, usd: 0.5 }],
    ["has no cost without prices", answer({ input: 9, output: 1, usd: 0 }), { input: 9, output: 1, usd: null }],
    ["is unknown without a call", answer({ input: null, output: null, usd: null }), null],
    ["is unknown if all figures are zero", answer({ input: 0, output: 0, usd: 0 }), null],
    ["is unknown if a figure is negative", answer({ input: -5, output: 1, usd: 0 }), null],
    ["is unknown in another format", '{"error":"no such table"}', null],
    ["is unknown if the output is not JSON", "Error: locked", null],
  ])("%s", (_, output, expected) => {
    expect(opencodeAccount.read(output)).toEqual(expected);
  });

  test("covers only this execution with its sub-agents, read without plugins", () => {
    const args = opencodeAccount.args({ id: "ses_1", since: 1234.5 }) ?? [];
    expect(args).toEqual(["db", expect.any(String), "--format", "json", "--pure"]);
    expect(args[1]).toContain("time_created >= 1234 ");
    expect(args[1]).toContain("id = 'ses_1' or parent_id = 'ses_1'");
  });

  test("is not queried for an invalid id", () => {
    expect(opencodeAccount.args({ id: "x' or '1'='1", since: 0 })).toBeNull();
  });
});

describe("usage queried after the execution", () => {
  let folder = "";
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "isdlc-account-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const asked = (script: string) => {
    const program = join(folder, "agent");
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const place = { cwd: folder, env: process.env, nonce: "n-1", access: "write", sandbox: undefined } as const;
    return askAccount(opencodeAccount, { id: "ses_1", since: 0 }, { program, ...place });
  };

  test("is reported", async () => {
    expect(await asked(`printf '[\\n{"input":5,"output":1,"usd":0.1}\\n]\\n'`)).toEqual({
      input: 5,
      output: 1,
      usd: 0.1,
    });
  });

  test.each(["exit 1", "echo nonsense", 'echo \'[{"input":5,"output":1,"usd":0.1}]\'; exit 3'])(
    "is unknown after the command %s",
    async (script) => {
      expect(await asked(script)).toBeNull();
    },
  );
});
