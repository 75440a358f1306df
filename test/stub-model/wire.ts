import type { ToolCall } from "./portable-calls.ts";
import type { ModelRequest, TokenCounts } from "./scenario.ts";

/** A whole answer before it is put into the words of one API. */
export type Answer = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  readonly usage: TokenCounts;
};

/** One event of a stream; some APIs give their events no name, and one closes with a bare word. */
export type ServerEvent = {
  readonly event?: string;
  readonly data: Readonly<Record<string, unknown>> | string;
};

/** One model API: how its requests read and how its answers look. */
export interface Wire {
  readonly name: string;
  /** True for the endpoint that asks the model. */
  owns(method: string, path: string): boolean;
  parse(body: unknown, path: string): ModelRequest;
  /** The tool through which the agent takes a structured result, where it has one. */
  readonly resultTool: string | null;
  callId(key: string): string;
  events(answer: Answer): readonly ServerEvent[];
  plain(answer: Answer): unknown;
  error(status: number, message: string): unknown;
  /** Answers an endpoint beside the model; undefined when it is not one of this API. */
  side(method: string, path: string, body: unknown): unknown;
}
