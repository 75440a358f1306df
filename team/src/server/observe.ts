import type { TeamServer } from "./team-server.ts";

/** `path`: the requested path without its query. */
export type ObservedRequest = {
  readonly method: string;
  readonly path: string;
  readonly traceparent: string | undefined;
};

/** `route`: the pattern, because metrics need labels with few values. */
export type ObservedResponse = { readonly route: string; readonly status: number };

/** Records metrics and a trace of a request. */
export async function observe(
  { metrics, tracing }: Pick<TeamServer, "metrics" | "tracing">,
  { method, path, traceparent }: ObservedRequest,
  answer: () => Promise<ObservedResponse>,
): Promise<void> {
  const began = performance.now();
  const headers = traceparent === undefined ? {} : { traceparent };
  const run = /\/runs\/([0-9a-z-]{1,40})(?:\/|$)/.exec(path)?.[1];
  const attributes = { "http.request.method": method, ...(run === undefined ? {} : { "isdlc.run": run }) };
  const name = `${method} ${path.replace(run ?? "", ":run")}`;
  const { route, status } = await tracing.within({ name, attributes, headers }, answer);
  metrics.request({ method, route, status: String(status) }, (performance.now() - began) / 1000);
}
