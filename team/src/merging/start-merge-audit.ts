import type { ServerMetrics } from "../operations/metrics.ts";
import type { Log } from "../structured-log.ts";
import { type AuditContext, auditMerges } from "./audit-merges.ts";

const AUDIT_INTERVAL_MS = 10 * 60_000;

type AuditOptions = AuditContext & { readonly log: Log; readonly metrics: Pick<ServerMetrics, "missingMerges"> };

/** Audits the recorded merges at the start of the server and every ten minutes. */
export function startMergeAudit({ log, metrics, ...auditing }: AuditOptions): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  const audit = async (): Promise<void> => {
    try {
      const { missing, unread } = await auditMerges(auditing);
      metrics.missingMerges(missing.length);
      for (const merge of missing) log.error(merge, "a recorded merge is missing from its base");
      for (const remote of unread) log.warn(remote, "the merges of a repository could not be checked");
    } catch (error) {
      log.error({ error }, "the recorded merges could not be checked");
    } finally {
      running = null;
    }
  };
  running = audit();
  const timer = setInterval(() => void (running ??= audit()), AUDIT_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
