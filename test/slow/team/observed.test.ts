import { mkdtempSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { forgetOld } from "../../../team/src/operations/retention.ts";
import { createLog } from "../../../team/src/structured-log.ts";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox, type Json, parsed } from "../../support/cli.ts";
import { hasPostgres, freshDatabase } from "./support/team-database.ts";
import { begin, createTeam, installTeamPackage, said } from "./support/team.ts";
import { beginRun, PATIENCE, untilRests } from "./support/team-runs.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A collector of traces that speaks the protocol of OpenTelemetry. */
async function createCollector(): Promise<{ url: string; spans: () => readonly Json[] }> {
  const spans: Json[] = [];
  const take = async (request: IncomingMessage): Promise<void> => {
    for (const { scopeSpans } of JSON.parse(await readBody(request)).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
  };
  const server = createServer((request, response) => {
    void take(request).then(() => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, spans: () => spans };
}

describe.runIf(hasPostgres)("observability of a team's server", () => {
  test("exports metrics by route and traces from worker to server", async () => {
    const collector = await createCollector();
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "100" };
    const team = await createTeam({ env: tracing });
    const server = await team.server("--metrics", "0");
    const metricsUrl = (await said(server, /Metrics at (\S+)/))[1] ?? "";
    await team.worker("w1");
    const run = await beginRun(team);
    await untilRests(team, run);
    const asked = await fetch(new URL(`/api/runs/${run}/lines`, server.url), {
      headers: { authorization: `Bearer ${team.adas}`, traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
    });
    expect(asked.status).toBe(200);

    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toContain(
      'isdlc_http_request_seconds_count{method="GET",route="/api/runs/:run/lines",status="200"} 1',
    );
    expect(metrics).toContain('isdlc_runs{state="waiting"} 1');
    expect(metrics).toMatch(/isdlc_worker_silent_seconds\{worker="w1"\} \d/);
    expect(metrics).toContain("process_cpu_seconds_total");
    expect(metrics).not.toContain(run);
    const page = await (await fetch(new URL("/metrics", server.url))).text();
    expect(page, "people's port has the page and no metrics").not.toContain("isdlc_runs");

    await vi.waitFor(() => {
      const spans = collector.spans();
      expect(spans.filter(({ traceId }) => traceId === TRACE)).toHaveLength(1);
      const drive = spans.find(({ name }) => name === "drive");
      expect(drive).toBeDefined();
      const reported = spans.filter(
        ({ traceId, parentSpanId }) => traceId === drive.traceId && parentSpanId === drive.spanId,
      );
      expect(reported.map(({ name }) => name)).toContain("POST /api/worker/runs/:run/commands");
    }, PATIENCE);
    expect(JSON.stringify(collector.spans())).not.toContain(team.adas);
  });

  test("deletes silent workers after the given days, except one that holds a run", async () => {
    const { pool } = await freshDatabase();
    await pool.query("insert into isdlc.principal (id, kind) values ('w1', 'worker')");
    await pool.query(
      `insert into isdlc.worker (id, instance, beat_at)
       select 'w1', name, now() - interval '2 days' from unnest(array['holding', 'silent']) name`,
    );
    await pool.query(
      `insert into isdlc.run (run, place, title, begun_by, head_hash, rests, worker, instance)
       values ('r', 'r', '', '', '', 'action', 'w1', 'holding')`,
    );
    expect(await forgetOld({ pool, days: 1 })).toEqual({ workers: 1, notifications: 0 });
    expect(await forgetOld({ pool, days: 1 })).toEqual({ workers: 0, notifications: 0 });
    expect((await pool.query("select instance from isdlc.worker")).rows).toEqual([{ instance: "holding" }]);
    expect((await pool.query("select run from isdlc.run")).rows).toEqual([{ run: "r" }]);
  });

  test("starts its own PostgreSQL with one command and finds it after a kill", async () => {
    const sandbox = await createSandbox();
    const data = mkdtempSync(join(tmpdir(), "isdlc-own-database-")); // readable for the user that PostgreSQL runs as
    afterAll(() => removeTemporary(data));
    installTeamPackage(await builtProgram());
    const serve = async () => {
      const server = begin(sandbox, ["server", "--port", "0", "--data", data], {});
      await said(server, /Listening at/);
      return server;
    };
    const token = async (name: string) =>
      parsed(await sandbox.start(["server", "token", "person", name, "--data", data, "--json"]).ended);
    const first = await serve();
    expect(await token("ada")).toMatchObject({ ok: true, id: "ada" });
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await serve();
    expect(await token("bob")).toMatchObject({ ok: true });
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(143);
    const backup = `${sandbox.base}/backup.gz`;
    const made = parsed(await sandbox.start(["server", "backup", backup, "--data", data, "--json"]).ended);
    expect(made.rows).toMatchObject({ principal: 2 });
  });
});

describe("log of a server", () => {
  test("writes one JSON object per line without secrets", () => {
    const lines: string[] = [];
    const secrets = ["postgresql://u:very-secret-password@db/isdlc"];
    const log = createLog({ name: "isdlc-server", write: (line) => lines.push(line), secrets });
    const token = `isdlc_person_${"a".repeat(43)}`;
    log.error(
      { run: 'x\n{"level":"info"}', error: new Error(`cannot reach ${secrets[0]}`) },
      `Bearer ${token}\nsecond line`,
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("\n");
    const told = JSON.parse(lines[0]!);
    expect(told).toMatchObject({ level: "error", name: "isdlc-server", run: 'x\n{"level":"info"}' });
    expect(lines[0]).not.toMatch(/very-secret-password|aaaaaaaa/);
    expect(told.error.message).toContain("cannot reach");
  });
});
