import { spawn } from "node:child_process";

/** A program that has the terminal to itself for a while; `input` is what it reads, where it is no terminal. */
export type Guest = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly cwd?: string;
};

/** Lets a program of the person use the terminal until it ends. Null when it could not be started; -1 for a signal. */
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
      child.stdin?.on("error", () => undefined); // whoever has seen enough stops reading
      child.stdin?.end(input);
    });
  } finally {
    restore();
  }
}

/** A command of the person's environment: arguments split at spaces, no shell. */
export const splitCommand = (command: string): string[] => command.split(" ").filter((word) => word !== "");

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
