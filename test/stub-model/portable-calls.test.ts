import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toToolCall } from "./portable-calls.ts";

const write = { write: { path: "/p/a", content: "x" } };
const read = { read: "/p/a" };
const shell = { shell: "ls" };

test.each([
  {
    offered: ["Bash", "Write", "Read"],
    call: write,
    is: { tool: "Write", input: { file_path: "/p/a", content: "x" } },
  },
  { offered: ["Bash", "Write", "Read"], call: read, is: { tool: "Read", input: { file_path: "/p/a" } } },
  { offered: ["write_file", "read_file"], call: write, is: { tool: "write_file" } },
  { offered: ["write_file", "read_file"], call: read, is: { tool: "read_file", input: { file_path: "/p/a" } } },
  { offered: ["bash", "write"], call: write, is: { tool: "write", input: { filePath: "/p/a", content: "x" } } },
  { offered: ["bash", "read"], call: shell, is: { tool: "bash", input: { command: "ls" } } },
  { offered: ["exec_command"], call: shell, is: { tool: "exec_command", input: { cmd: "ls" } } },
  { offered: ["exec_command"], call: read, is: { tool: "exec_command", input: { cmd: "cat '/p/a'" } } },
  { offered: ["run_shell_command"], call: shell, is: { tool: "run_shell_command", input: { command: "ls" } } },
  { offered: ["Grep"], call: write, is: { tool: "Write" } },
  { offered: ["Grep"], call: shell, is: { tool: "Bash" } },
  { offered: ["Grep"], call: { tool: "Odd", input: { a: 1 } }, is: { tool: "Odd", input: { a: 1 } } },
])("maps $call to one of $offered", ({ offered, call, is }) => {
  expect(toToolCall(call, offered)).toMatchObject(is);
});

test("writes any content through the shell of an agent without a file tool", () => {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-portable-"));
  const path = join(folder, "new folder", "it's.txt");
  const content = 'it\'s 100 % \\n "$HOME" `id`\n';
  const { input } = toToolCall({ write: { path, content } }, ["exec_command"]);
  execFileSync("sh", ["-c", String(input["cmd"])]);
  expect(readFileSync(path, "utf8")).toBe(content);
  rmSync(folder, { recursive: true });
});
