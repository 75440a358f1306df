/** Where a verb writes to and what it knows about it. Tests hand in their own. */
export type Io = {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** A person sits at both ends. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly columns: number;
};

type Streams = {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): boolean };
  readonly stderr: { readonly isTTY?: boolean; write(text: string): boolean };
};

type Wishes = { readonly json: boolean; readonly noColor: boolean; readonly env: NodeJS.ProcessEnv };

export function createIo({ stdin, stdout, stderr }: Streams, { json, noColor, env }: Wishes): Io {
  const terminal = stdin.isTTY === true && stdout.isTTY === true;
  const wantsNoColor = noColor || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return {
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    interactive: terminal && !json && (env["CI"] ?? "") === "",
    color: stdout.isTTY === true && !wantsNoColor,
    columns: stdout.columns ?? 80,
  };
}
