import type { ToolCall } from "./portable-calls.ts";
import type { ModelRequest, TokenCounts } from "./scenario.ts";

/** A complete answer before it is converted to the format of an API. */
export type Answer = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  readonly usage: TokenCounts;
};

/** One event of a stream. Some APIs use unnamed events, and one closes with a bare word. */
export type ServerEvent = {
  readonly event?: string;
  readonly data: Readonly<Record<string, unknown>> | string;
};

/** One model API: the format of its requests and answers. */
export interface Wire {
  readonly name: string;
  /** True for the model endpoint. */
  owns(method: string, path: string): boolean;
  parse(body: unknown, path: string): ModelRequest;
  /** The agent's tool for a structured result, if it has one. */
  readonly resultTool: string | null;
  callId(key: string): string;
  events(answer: Answer): readonly ServerEvent[];
  plain(answer: Answer): unknown;
  error(status: number, message: string): unknown;
  /** Answers an endpoint other than the model; undefined for a path of another API. */
  side(method: string, path: string, body: unknown): unknown;
}
