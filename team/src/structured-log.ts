import pino from "pino";
import { visibleJson } from "../../src/core/plain-text.ts";
import { createRedactor } from "../../src/core/redact.ts";

/** A log with a message and structured fields. */
export type Log = {
  readonly [Level in "info" | "warn" | "error"]: (fields: Readonly<Record<string, unknown>>, message: string) => void;
};

export type LogOptions = {
  readonly write: (line: string) => void;
  /** `server` or `worker`. */
  readonly name: string;
  /** Values to redact from every line. Text that looks like a key or token is always redacted. */
  readonly secrets: readonly string[];
};

/**
 * Creates a log that writes one JSON object per line. Line breaks, control characters and secrets in values are
 * escaped or redacted.
 */
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
