/** A text a message must contain, or a pattern it must match. */
export type TextMatch = string | RegExp;

/** A tool call in words every agent understands; turned into whichever tool the agent offers. */
export type ScriptedCall =
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly shell: string }
  | { readonly read: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export type TokenCounts = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** How an answer goes wrong. With `times` it goes wrong that often and is then given as scripted. */
export type Fault = { readonly times?: number } & (
  | { readonly status: number; readonly message?: string }
  /** So many good events, then the connection is destroyed. */
  | { readonly cutAfterEvents: number }
  /** So many good events, then a polite end without the closing event. */
  | { readonly endAfterEvents: number }
  | { readonly hang: true }
  /** The connection is destroyed before the first byte. */
  | { readonly reset: true }
  /** A page of some proxy comes instead of the answer, with a good status. */
  | { readonly garbage: true }
);

export type Turn = {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** The structured result: through the agent's own tool for it, otherwise as JSON text. */
  readonly json?: unknown;
  readonly usage?: Partial<TokenCounts>;
  readonly fault?: Fault;
};

export type Rule = {
  readonly name: string;
  readonly when?: {
    readonly prompt?: TextMatch;
    readonly system?: TextMatch;
    /** Answers what the agent asks on its own (titles, summaries) instead of the conversation. */
    readonly sideCall?: true;
  };
  readonly turns: readonly Turn[];
  /** What happens to requests after the last turn; an agent that loops is refused unless told otherwise. */
  readonly past?: "refuse" | "repeat";
};

export type Message = {
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly text: string;
  /** Calls made (assistant) or answered (tool) here. */
  readonly callIds: readonly string[];
};

/** A request of any model API in one shape. */
export type ModelRequest = {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
};

export type ChosenTurn = { readonly rule: string; readonly turn: number; readonly key: string; readonly script: Turn };

/** Which turn answers this request, or why none does. */
export type Choice = { readonly ok: true; readonly chosen: ChosenTurn } | { readonly ok: false; readonly why: string };

type RuleMatch = { readonly rule: Rule; readonly index: number; readonly anchor: number };

const SIDE_ANSWER: Turn = { text: "Scripted side answer" };

/**
 * Picks rule and turn from the request alone. Nothing is remembered between requests, so retries, resumed
 * conversations and parallel ones all land on their own turn.
 */
export function chooseTurn(rules: readonly Rule[], request: ModelRequest): Choice {
  const aside = isSideCall(request);
  const best = latestAnchored(rules, request, aside);
  if (best === null) {
    if (aside) return { ok: true, chosen: { rule: "side call", turn: 0, key: "side", script: SIDE_ANSWER } };
    const last = request.messages.findLast((message) => message.role === "user")?.text ?? "";
    return { ok: false, why: `no rule matches; the last prompt ends in: ${last.slice(-160)}` };
  }
  const { rule, index, anchor } = best;
  const taken = turnsTaken(request.messages.slice(anchor + 1), index);
  const turn = rule.past === "repeat" ? Math.min(taken, rule.turns.length - 1) : taken;
  const script = rule.turns[turn];
  if (script === undefined) return { ok: false, why: `rule "${rule.name}" has no turn ${turn}` };
  return { ok: true, chosen: { rule: rule.name, turn, key: callKey(index, turn), script } };
}

/** Marks the calls of a turn, so that the history tells later which turn made them. */
const callKey = (rule: number, turn: number): string => `rule${rule}turn${turn}`;
const CALL_KEY = /rule([0-9]+)turn([0-9]+)/;

/** Agents ask for titles and the like without offering tools; suggestions replay the talk with a marker. */
function isSideCall(request: ModelRequest): boolean {
  if (request.tools.length === 0) return true;
  const last = request.messages.findLast((message) => message.role === "user");
  return last?.text.trimStart().startsWith("[SUGGESTION MODE") ?? false;
}

/** The rule hanging on the latest message wins; of equals, the first. */
function latestAnchored(rules: readonly Rule[], request: ModelRequest, aside: boolean): RuleMatch | null {
  let best: RuleMatch | null = null;
  for (const [index, rule] of rules.entries()) {
    if ((rule.when?.sideCall === true) !== aside) continue;
    const anchor = findAnchor(rule, request);
    if (anchor !== -1 && (best === null || anchor > best.anchor)) best = { rule, index, anchor };
  }
  return best;
}

/** The message a rule hangs on: the last prompt it matches, or the first one where it names none. */
function findAnchor(rule: Rule, request: ModelRequest): number {
  const { prompt, system } = rule.when ?? {};
  if (system !== undefined && !matches(system, request.system)) return -1;
  if (prompt === undefined) return request.messages.findIndex((message) => message.role === "user");
  return request.messages.findLastIndex((message) => message.role === "user" && matches(prompt, message.text));
}

/** Calls say exactly which turn made them; answers of text alone are counted after the last such call. */
function turnsTaken(since: readonly Message[], rule: number): number {
  let taken = 0;
  let counted = 0;
  for (const [at, message] of since.entries()) {
    for (const id of message.callIds) {
      const [, owner, turn] = CALL_KEY.exec(id) ?? [];
      if (Number(owner) !== rule) continue;
      taken = Math.max(taken, Number(turn) + 1);
      counted = at + 1;
    }
  }
  const rest = since.slice(counted);
  const isAnswerStart = (message: Message, at: number) =>
    message.role === "assistant" && rest[at - 1]?.role !== "assistant";
  return taken + rest.filter(isAnswerStart).length;
}

function matches(wanted: TextMatch, text: string): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}
