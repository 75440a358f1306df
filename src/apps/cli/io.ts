import { isatty } from "node:tty";
import { writeText } from "./write-text.ts";

/** Where a verb writes to and what it knows about it. Tests hand in their own. */
export type Io = {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** A person sits at both ends. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly columns: number;
};

type Wishes = { readonly json: boolean; readonly noColor: boolean; readonly env: NodeJS.ProcessEnv };

/** The process's own input and output. Node's streams are left alone: setting them up costs a quarter of a bare start. */
export function createIo({ json, noColor, env }: Wishes): Io {
  const screen = isatty(1);
  const wantsNoColor = noColor || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return {
    out: (line) => writeText(1, `${line}\n`),
    err: (line) => writeText(2, `${line}\n`),
    interactive: isatty(0) && screen && !json && (env["CI"] ?? "") === "",
    color: screen && !wantsNoColor,
    columns: screen ? process.stdout.columns : 80,
  };
}
