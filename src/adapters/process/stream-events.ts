import type { AgentEvent } from "../../ports/agent-backend.ts";
import type { AgentSign, Usage } from "../../schema/agent.ts";

export type Emit = (event: AgentEvent) => void;

export type Heard = {
  readonly texts: readonly string[];
  readonly usage?: Usage | null;
  readonly sign?: AgentSign | undefined;
};

/** Emits one line of an agent: every text, the last one with usage and sign. These are also emitted without text. */
export function tell(emit: Emit, { texts, usage = null, sign }: Heard): void {
  const shown = sign?.is === "trouble" ? [sign.what] : texts;
  for (const text of shown.slice(0, -1)) emit({ type: "progress", text, usage: null });
  if (shown.length === 0 && usage === null && sign === undefined) return;
  emit({ type: "progress", text: shown.at(-1) ?? "", usage, ...(sign === undefined ? {} : { sign }) });
}

/** Maximum number of unread events. Beyond it, the oldest are dropped. */
const MAX_WAITING_EVENTS = 1000;

/** Converts callbacks to an iterable of events. If the consumer stops early, the work is aborted and awaited. */
export async function* streamEvents(
  produce: (emit: Emit, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const left = new AbortController();
  const waiting: AgentEvent[] = [];
  const state = { isOver: false, wake: (): void => undefined };
  const emit: Emit = (event) => {
    if (waiting.length >= MAX_WAITING_EVENTS) waiting.shift();
    waiting.push(event);
    state.wake();
  };
  const work = produce(emit, AbortSignal.any([signal, left.signal])).finally(() => {
    state.isOver = true;
    state.wake();
  });
  work.catch(() => undefined); // thrown below, after all earlier events
  try {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (state.isOver) break;
      else await new Promise<void>((resolve) => (state.wake = resolve));
    }
    await work;
  } finally {
    left.abort();
    await work.catch(() => undefined);
  }
}
