import { spawn } from "node:child_process";

/** A program that takes over the terminal. With `input`, it reads this text instead of the keyboard. */
export type Guest = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly cwd?: string;
};

/**
 * Gives the terminal to a program of the user until it exits. Returns its exit code; null if it could not be started,
 * -1 after a signal.
 */
export async function runInteractive({ argv, env, input, cwd }: Guest): Promise<number | null> {
  const [program = "", ...args] = argv;
  const restore = ignoreInterrupts();
  try {
    return await new Promise<number | null>((resolve) => {
      const child = spawn(program, args, {
        stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
        env,
        ...(cwd === undefined ? {} : { cwd }),
      });
      child.once("error", () => resolve(null));
      child.once("close", (code) => resolve(code ?? -1));
      child.stdin?.on("error", () => undefined); // the user may close a pager before its end
      child.stdin?.end(input);
    });
  } finally {
    restore();
  }
}

/** Splits a command of the user's environment at spaces, without a shell. */
export const splitCommand = (command: string): string[] => command.split(" ").filter((word) => word !== "");

/** Ctrl-C in the program reaches this process too, and must not stop the run. */
function ignoreInterrupts(): () => void {
  const listeners = process.listeners("SIGINT");
  const ignore = (): void => undefined;
  process.removeAllListeners("SIGINT").on("SIGINT", ignore);
  return () => {
    process.off("SIGINT", ignore);
    for (const listener of listeners) process.on("SIGINT", listener);
  };
}
