import pino from "pino";
import { visibleJson } from "../../src/core/plain-text.ts";
import { createRedactor } from "../../src/core/redact.ts";

/** What happened, with what it is about as fields. */
export type Log = {
  readonly [Level in "info" | "warn" | "error"]: (fields: Readonly<Record<string, unknown>>, message: string) => void;
};

export type LogOptions = {
  readonly write: (line: string) => void;
  /** Server or worker. */
  readonly name: string;
  /** Values that must never be in a line; what looks like a key or token is left out anyway. */
  readonly secrets: readonly string[];
};

/** One JSON object a line. A line break, a control character or a secret in what is logged does not get into the log. */
export function createLog({ write, name, secrets }: LogOptions): Log {
  const redact = createRedactor(secrets);
  const destination = { write: (line: string) => write(visibleJson(redact(line).trimEnd())) };
  const options = {
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    serializers: { error: pino.stdSerializers.err },
  };
  const logger = pino(options, destination);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}
