import type * as z from "zod/mini";

/** The session that this server was started for. */
export type ServedHost = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The session's own id, where it tells. */
  readonly id: string | undefined;
};

export type ToolCall = {
  readonly host: ServedHost;
  readonly input: unknown;
  /** What came beside the input; hosts mark the calls of their models here. */
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
