import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import type { CallLog, CallNote } from "./call-log.ts";

const count = z._default(z.number().check(z.nonnegative()), 0);

const Answered = z.object({
  "event.name": z.literal("gemini_cli.api_response"),
  input_token_count: count,
  output_token_count: count,
  thoughts_token_count: count,
});
const Failed = z.object({
  "event.name": z.literal("gemini_cli.api_error"),
  status_code: z.optional(z.nullable(z.union([z.number(), z.string()]))),
  "error.type": z.optional(z.nullable(z.string())),
});
const LogRecord = z.object({ attributes: z.union([Answered, Failed]) });

/**
 * Gemini CLI does not report failed calls, and reports tokens only for successful turns. Its telemetry has both; it is
 * written to our own file and sent nowhere else.
 */
export const geminiCalls: CallLog = {
  on: "file",
  folder: (env) => join(env["HOME"] ?? homedir(), ".gemini", "log"),
  variables: (file) => ({
    GEMINI_TELEMETRY_ENABLED: "true",
    GEMINI_TELEMETRY_TARGET: "local",
    GEMINI_TELEMETRY_OUTFILE: file,
    GEMINI_TELEMETRY_LOG_PROMPTS: "false",
  }),
  separator: "\n}\n",
  read: (record) => (IS_CALL.test(record) ? parseNote(`${record}\n}`) : null),
};

/** Filters before parsing: most records are of other kinds, and long. */
const IS_CALL = /"event\.name": "gemini_cli\.api_(?:response|error)"/;

function parseNote(record: string): CallNote | null {
  const read = z.safeParse(LogRecord, parsed(record));
  if (!read.success) return null;
  const { attributes } = read.data;
  if (attributes["event.name"] === "gemini_cli.api_error") {
    const { status_code: status, "error.type": type } = attributes;
    return { is: "failed", what: status ? `service error ${status}` : (type ?? "no answer") };
  }
  const { input_token_count: input, output_token_count: output, thoughts_token_count: thoughts } = attributes;
  return { is: "answered", input, output: output + thoughts };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // truncated, or another format
  }
}
