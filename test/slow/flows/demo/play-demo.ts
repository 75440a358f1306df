import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "../../../support/built-program.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

export type DemoResult = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Milliseconds from the program's start to the first gate, if it opened. */
  readonly firstGate: number | null;
  /** Remaining files in the user's home and in the folder for temporary files. */
  readonly left: { readonly home: string[]; readonly temporary: string[] };
  readonly temporary: string;
};

export type Play = {
  readonly args?: readonly string[];
  /** Interrupts the program after it prints this text. */
  readonly interruptAt?: string;
  /** Inspects the temporary folder before it is removed. */
  readonly look?: (temporary: string) => void;
};

/** Runs the built demo without a terminal and with an agent's marker, in a new home and temporary folder. */
export async function playDemo({ args = [], interruptAt, look }: Play = {}): Promise<DemoResult> {
  const program = await builtProgram();
  const place = mkdtempSync(join(tmpdir(), "played-demo-"));
  const [home, temporary] = ["home", "tmp"].map((name) => mkdtempSync(join(place, `${name}-`))) as [string, string];
  try {
    const ended = await run([program, "demo", ...args], { env: environment(home, temporary), interruptAt });
    look?.(temporary);
    return { ...ended, left: { home: readdirSync(home), temporary: readdirSync(temporary) }, temporary };
  } finally {
    removeTemporary(place);
  }
}

function environment(home: string, temporary: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:XDG_|ISDLC_|npm_)/i.test(name));
  return { ...Object.fromEntries(kept), HOME: home, TMPDIR: temporary, CLAUDECODE: "1", ...npmEnvironment(home) };
}

/** Variables set by `npm run demo`; otherwise npm's files would be written to the user's home. */
const npmEnvironment = (home: string) => ({
  npm_config_cache: join(home, ".npm"),
  npm_config_userconfig: join(home, ".npmrc"),
});

type Running = { readonly env: NodeJS.ProcessEnv; readonly interruptAt: string | undefined };

function run(argv: readonly string[], { env, interruptAt }: Running): Promise<Omit<DemoResult, "left" | "temporary">> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let firstGate: number | null = null;
    let interrupted = false;
    const child = spawn(process.execPath, argv, { env, stdio: ["ignore", "pipe", "pipe"] });
    const texts = { out: "", err: "" };
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (texts.err += text));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      texts.out += text;
      if (texts.out.includes("[C] Continue")) firstGate ??= performance.now() - began;
      if (interrupted || interruptAt === undefined || !texts.out.includes(interruptAt)) return;
      interrupted = true;
      child.kill("SIGINT");
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...texts, firstGate }));
  });
}
