import * as z from "zod/mini";
import type { Line } from "../../process/line-splitter.ts";

export type AcpConnectionOptions = {
  readonly send: (text: string) => void;
  /** Answers a request of the agent. A thrown `AcpError` is sent back. */
  readonly onRequest: (method: string, params: unknown) => unknown;
  readonly onNotification: (method: string, params: unknown) => void;
};

/** JSON-RPC 2.0 connection to one agent, one message per line, as used by the Agent Client Protocol. */
export interface AcpConnection {
  /** @throws AcpError with the agent's error response, or the error passed to `close`. */
  request(method: string, params: object): Promise<unknown>;
  notify(method: string, params: object): void;
  receive(line: Line): void;
  /** Rejects all pending and later requests with this error. Only the first call has an effect. */
  close(why: Error): void;
  /** Returns the first line that was not a message, to explain missing answers. */
  noise(): string | null;
}

export class AcpError extends Error {
  override readonly name = "AcpError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The agent exited. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
/** Code for a message of the agent above the length limit. */
export const TOO_LONG = 413;
/** Code for a message of the agent that could not be processed, such as one nested too deeply. */
const UNHANDLED = -32_600;
const MAX_NOISE_LENGTH = 500;

export function createAcpConnection(options: AcpConnectionOptions): AcpConnection {
  const waiting = new Map<number, PendingRequest>();
  let count = 0;
  let closed: Error | null = null;
  let noise: string | null = null;

  const send = (message: object): void => options.send(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const close = (why: Error): void => {
    closed ??= why;
    for (const { reject } of waiting.values()) reject(closed);
    waiting.clear();
  };
  const finishRequest = (id: number, { result, error }: Message): void => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined || error === null) asked?.resolve(result);
    else asked?.reject(new AcpError(error.code, errorText(error)));
  };
  const take = (message: Message): void => {
    const { id, method, params } = message;
    if (method === undefined) {
      if (typeof id === "number") finishRequest(id, message);
    } else if (id === undefined || id === null) options.onNotification(method, params);
    else send({ id, ...answered(() => options.onRequest(method, params)) });
  };
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (closed !== null) return reject(closed);
        count += 1;
        waiting.set(count, { resolve, reject });
        send({ id: count, method, params });
      }),
    notify: (method, params) => send({ method, params }),
    receive: ({ text, cut }) => {
      if (closed !== null || text.trim() === "") return;
      try {
        const message = cut ? null : readMessage(text);
        if (message === null) noise ??= text.slice(0, MAX_NOISE_LENGTH);
        else take(message);
        if (cut) close(tooLong());
      } catch {
        close(unhandled());
      }
    },
    close,
    noise: () => noise,
  };
}

const tooLong = (): AcpError => new AcpError(TOO_LONG, "it sent a message that is too long");
const unhandled = (): AcpError => new AcpError(UNHANDLED, "it sent a message that cannot be processed");

type PendingRequest = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

const Failure = z.object({ code: z.number(), message: z.string(), data: z.optional(z.unknown()) });
type Failure = z.infer<typeof Failure>;
const UNREADABLE: Failure = { code: 0, message: "it answered with an error that cannot be read" };

const Message = z.object({
  id: z.optional(z.nullable(z.union([z.number(), z.string()]))),
  method: z.optional(z.string()),
  params: z.optional(z.unknown()),
  result: z.optional(z.unknown()),
  error: z.optional(
    z.nullable(
      z.union([
        Failure,
        z.pipe(
          z.unknown(),
          z.transform(() => UNREADABLE),
        ),
      ]),
    ),
  ),
});
type Message = z.infer<typeof Message>;

/** Returns null for other output between messages. */
function readMessage(text: string): Message | null {
  const read = z.safeParse(Message, parseJson(text));
  const isOne = read.success && (read.data.method !== undefined || read.data.id !== undefined);
  return isOne ? read.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function answered(answer: () => unknown): { result: unknown } | { error: { code: number; message: string } } {
  try {
    return { result: answer() };
  } catch (error) {
    if (!(error instanceof AcpError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

/** Adds the error details: agents put the actual cause there, next to a vague message ("Internal error"). */
function errorText({ message, data }: Failure): string {
  const details = typeof data === "object" && data !== null && "details" in data ? data.details : data;
  if (details === undefined || details === null) return message;
  return `${message}: ${typeof details === "string" ? details : jsonText(details)}`;
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "with details that are nested too deep to be shown";
  }
}
