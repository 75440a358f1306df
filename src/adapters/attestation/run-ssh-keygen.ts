import { spawn } from "node:child_process";
import { ProblemError } from "../../core/problem.ts";
import { trustedPath } from "../git/process/working-trees.ts";

export type KeygenCall = {
  readonly args: readonly string[];
  readonly input: Buffer;
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeLimit: number;
};

export type KeygenResult = { readonly status: number; readonly stdout: string; readonly stderr: string };

const MAX_OUTPUT = 1024 * 1024; // characters

/**
 * Runs ssh-keygen without a shell. Returns its exit status, whatever it is.
 * @throws ProblemError SIGNING_FAILED if ssh-keygen cannot be started
 */
export function runSshKeygen({ args, input, environment, timeLimit }: KeygenCall): Promise<KeygenResult> {
  const env = { ...environment, PATH: trustedPath(process.env["PATH"] ?? "", process.cwd()), LC_ALL: "C" };
  return new Promise((resolve, reject) => {
    const child = spawn("ssh-keygen", args, { env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        said[name] = (said[name] + text).slice(0, MAX_OUTPUT);
      });
    const timer = setTimeout(() => child.kill("SIGKILL"), timeLimit);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new ProblemError({ code: "SIGNING_FAILED", detail: `ssh-keygen cannot be started: ${error.message}` }));
    });
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve({ status: status ?? 1, ...said });
    });
    child.stdin.on("error", () => undefined); // it may exit before it reads everything; its status shows the result
    child.stdin.end(input);
  });
}

/** Returns the last line of its output, as a reason. */
export function lastLine({ stderr, stdout }: KeygenResult): string {
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "it said nothing").replaceAll(/\p{Cc}/gu, "").slice(0, 300);
}
