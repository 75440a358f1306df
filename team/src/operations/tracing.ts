import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { version } from "../../../src/compose/version.ts";

export type TraceSpan = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Headers of a request, which may contain a parent trace. */
  readonly headers?: object;
};

export type Tracer = {
  /** Runs the work in a span. Requests with the returned headers join the same trace. */
  within<T>(traced: TraceSpan, work: (headers: Readonly<Record<string, string>>) => Promise<T>): Promise<T>;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
};

/**
 * Starts tracing if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set, otherwise does
 * nothing. The exporter reads all standard OpenTelemetry variables itself. Spans contain names of runs and workers,
 * but no text of users or agents.
 */
export function startTracing(name: string, env: NodeJS.ProcessEnv): Tracer {
  const isWanted = "OTEL_EXPORTER_OTLP_ENDPOINT" in env || "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" in env;
  if (!isWanted) return { within: (_traced, work) => work({}), stop: () => Promise.resolve() };
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": env["OTEL_SERVICE_NAME"] ?? name, "service.version": version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("isdlc", version);
  const propagator = new W3CTraceContextPropagator();
  return {
    async within({ name: what, attributes, headers = {} }, work) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, READ);
      const span = tracer.startSpan(what, { attributes: { ...attributes }, kind: SpanKind.INTERNAL }, parent);
      const own: Record<string, string> = {};
      propagator.inject(trace.setSpan(parent, span), own, WRITE);
      try {
        return await work(own);
      } catch (error) {
        markFailed(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
    stop: () => provider.shutdown(),
  };
}

function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : "error" });
}

const READ = {
  get: (carrier: object, key: string): string | undefined => {
    const value: unknown = Reflect.get(carrier, key);
    return typeof value === "string" ? value : undefined;
  },
  keys: (carrier: object): string[] => Object.keys(carrier),
};

const WRITE = {
  set: (carrier: Record<string, string>, key: string, value: string): void => void (carrier[key] = value),
};
