import { spawn } from "node:child_process";

/** A program that has the terminal to itself for a while; `input` is what it reads, where it is no terminal. */
export type Guest = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
};

/** Lets a program of the person use the terminal until it ends. False when it could not be started. */
export async function lendTerminal({ argv, env, input }: Guest): Promise<boolean> {
  const [program = "", ...args] = argv;
  const restore = ignoreInterrupts();
  try {
    return await new Promise<boolean>((resolve) => {
      const child = spawn(program, args, {
        stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
        env,
      });
      child.once("error", () => resolve(false));
      child.once("close", () => resolve(true));
      child.stdin?.on("error", () => undefined); // whoever has seen enough stops reading
      child.stdin?.end(input);
    });
  } finally {
    restore();
  }
}

/** The person's pager: the one they named, else less; nothing named on purpose, or none there, is none. */
export async function showInPager(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const named = env["PAGER"];
  const argv = named === undefined ? ["less", "-FRX"] : wordsOf(named);
  return argv.length > 0 && (await lendTerminal({ argv, env, input: text }));
}

/** A command of the person's environment: arguments split at spaces, no shell. */
export const wordsOf = (command: string): string[] => command.split(" ").filter((word) => word !== "");

/** Ctrl-C in the guest reaches us as well; there it does not mean that the run should stop. */
function ignoreInterrupts(): () => void {
  const listeners = process.listeners("SIGINT");
  const ignore = (): void => undefined;
  process.removeAllListeners("SIGINT").on("SIGINT", ignore);
  return () => {
    process.off("SIGINT", ignore);
    for (const listener of listeners) process.on("SIGINT", listener);
  };
}
