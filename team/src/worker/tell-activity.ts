import * as z from "zod/mini";
import { followActivity, type TranscriptLines } from "../../../src/adapters/files/transcripts.ts";
import type { ServerClient } from "../../../src/adapters/remote/server-client.ts";
import type { PlacedProject } from "../../../src/compose/project.ts";
import type { RunId } from "../../../src/schema/ids.ts";

export type ActivityContext = { readonly ask: ServerClient; readonly run: RunId; readonly epoch: number };

/** Messages queued while the server is unavailable; older ones are dropped. */
const MAX_WAITING_REPORTS = 100;
/** Milliseconds. Long enough to resend after a closed connection. */
const FLUSH_TIMEOUT_MS = 1000;
/** Maximum number of lines per message at the server. */
const MAX_ACTIVITY_LINES = 200;

export type Teller = {
  /** Resolves once all current output is sent. */
  readonly catchUp: () => Promise<void>;
  /** Resolves once the last output is sent. */
  readonly end: () => Promise<void>;
};

/** Sends agent output to the server, one message at a time. Messages that fail to arrive are lost. */
export function tellActivity(project: PlacedProject, { ask, run, epoch }: ActivityContext): Teller {
  const waiting: TranscriptLines[] = [];
  let isTelling = false;
  let sent = Promise.resolve();
  const send = async (): Promise<void> => {
    isTelling = true;
    for (let said = waiting.shift(); said !== undefined; said = waiting.shift()) {
      const path = `/api/worker/runs/${run}/activity`;
      const body = { epoch, execution: said.execution, lines: said.lines };
      await ask({ method: "POST", path, body, answer: z.object({}), patience: FLUSH_TIMEOUT_MS }).catch(
        () => undefined,
      );
    }
    isTelling = false;
  };
  const tell = ({ execution, lines }: TranscriptLines): void => {
    for (let at = 0; at < lines.length; at += MAX_ACTIVITY_LINES)
      waiting.push({ execution, lines: lines.slice(at, at + MAX_ACTIVITY_LINES) });
    waiting.splice(0, waiting.length - MAX_WAITING_REPORTS);
    if (!isTelling) sent = send();
  };
  const ended = new AbortController();
  const look = followActivity(project, run, { tell, signal: ended.signal, fromStart: true });
  return {
    catchUp: () => {
      look();
      return sent;
    },
    end: () => {
      ended.abort();
      return sent;
    },
  };
}
