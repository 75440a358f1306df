import { build } from "esbuild";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll } from "vitest";
import { removeTemporary } from "./remove-temporary.ts";

/** Bundles a test program into one file, which node starts fast. Removed after the suite. */
export async function bundleProgram(source: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-program-"));
  afterAll(() => removeTemporary(folder));
  const outfile = join(folder, `${basename(source, ".ts")}.mjs`);
  await build({ entryPoints: [source], outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  return outfile;
}

export type ProgramResult = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
};

export type StartedProgram = {
  readonly child: ChildProcess;
  readonly finished: Promise<ProgramResult>;
  line(): Promise<string>;
};

/** Starts node with a bundled program and collects its output. */
export function startProgram(program: string, args: readonly string[]): StartedProgram {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: "", NODE_OPTIONS: "" };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const first = new Promise<string>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
  });
  const finished = new Promise<ProgramResult>((resolve) => {
    // Ignores the last line if a kill cut it off.
    child.on("close", (code, signal) => resolve({ code, signal, lines: text.split("\n").slice(0, -1) }));
  });
  return { child, finished, line: () => first };
}
