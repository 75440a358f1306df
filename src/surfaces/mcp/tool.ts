import type * as z from "zod/mini";

/** Session that started this server. */
export type ServedHost = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The session's own id, if known. */
  readonly id: string | undefined;
};

export type ToolCall = {
  readonly host: ServedHost;
  readonly input: unknown;
  /** Metadata next to the input. Hosts mark the calls of their models here. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
};

export type ToolResult = {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly isError?: true;
};

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: z.ZodMiniType;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly call: (call: ToolCall) => Promise<ToolResult>;
};
