import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentSign, Usage } from "../../../schema/agent.ts";
import { followFile } from "../../process/follow-file.ts";
import type { Environment } from "../../process/child-environment.ts";

/** One call to the model, reported by an agent outside the protocol. */
export type CallNote =
  | { readonly is: "answered"; readonly input: number; readonly output: number }
  /** Start of a call. Its end is only reported if it fails. */
  | { readonly is: "begun" }
  | { readonly is: "failed"; readonly what: string };

/** Source of an agent's reports about calls to the model. The protocol has no message for failed calls. */
export type CallLog =
  | { readonly on: "stderr"; readonly args: readonly string[]; readonly read: (line: string) => CallNote | null }
  | {
      readonly on: "file";
      /** Folder of the log file, which the agent's sandbox must not hide. */
      readonly folder: (env: Environment) => string;
      readonly variables: (file: string) => Readonly<Record<string, string>>;
      /** Text between two records. */
      readonly separator: string;
      readonly read: (record: string) => CallNote | null;
    };

export interface FollowedCalls {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly onStderr: (chunk: Uint8Array) => void;
  /** Returns the usage of all reported calls. Null without any. */
  used(): Usage | null;
  /** Reads the last reports after the agent exited. */
  finish(): void;
}

export type CallNews = { readonly usage: Usage | null; readonly sign: AgentSign };

type CallLogFollower = {
  readonly log: CallLog | undefined;
  readonly env: Environment;
  readonly name: string;
  readonly onNews: (news: CallNews) => void;
};

const LOOK_MILLISECONDS = 500;

export function followCalls({ log, env, name, onNews }: CallLogFollower): FollowedCalls {
  let used: Usage | null = null;
  const take = (note: CallNote | null): void => {
    if (note === null) return;
    if (note.is === "begun") return onNews({ usage: null, sign: { is: "asked" } });
    if (note.is === "failed") return onNews({ usage: null, sign: { is: "trouble", what: note.what } });
    used = { input: (used?.input ?? 0) + note.input, output: (used?.output ?? 0) + note.output, usd: null };
    onNews({ usage: used, sign: { is: "call" } });
  };
  const nothing = { args: [], variables: {}, onStderr: () => undefined, used: () => used, finish: () => undefined };
  if (log === undefined) return nothing;
  if (log.on === "stderr") {
    const onLine = (line: string): void => take(log.read(line));
    return { ...nothing, args: log.args, onStderr: inLines(onLine) };
  }
  const folder = log.folder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${name}.log`);
  const news = followFile(file, log.separator);
  const look = (): void => {
    for (const record of news()) take(log.read(record));
  };
  const timer = setInterval(look, LOOK_MILLISECONDS);
  const finish = (): void => {
    clearInterval(timer);
    look();
    rmSync(file, { force: true });
  };
  return { ...nothing, variables: log.variables(file), finish };
}

/** Characters of an unfinished line. */
const MAX_LOG_LINE_LENGTH = 64 * 1024;

function inLines(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = (lines.pop() ?? "").slice(-MAX_LOG_LINE_LENGTH);
    for (const line of lines) onLine(line);
  };
}
