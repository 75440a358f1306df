/** A text a message must contain, or a pattern it must match. */
export type TextMatch = string | RegExp;

/** A tool call in neutral terms; mapped to the tool offered by the agent. */
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

/** How an answer fails. With `times`, it fails that many times before it succeeds. */
export type Fault = { readonly times?: number } & (
  | { readonly status: number; readonly message?: string }
  /** The connection is destroyed after this number of valid events. */
  | { readonly cutAfterEvents: number }
  /** The stream ends normally after this number of valid events, without the closing event. */
  | { readonly endAfterEvents: number }
  | { readonly hang: true }
  /** The connection is destroyed before the first byte. */
  | { readonly reset: true }
  /** A proxy's page with status 200 replaces the answer. */
  | { readonly garbage: true }
);

export type Turn = {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Structured result: through the agent's own tool for it, otherwise as JSON text. */
  readonly json?: unknown;
  readonly usage?: Partial<TokenCounts>;
  readonly fault?: Fault;
};

export type Rule = {
  readonly name: string;
  readonly when?: {
    readonly prompt?: TextMatch;
    readonly system?: TextMatch;
    /** Answers the agent's own requests (titles, summaries) instead of the conversation. */
    readonly sideCall?: true;
  };
  readonly turns: readonly Turn[];
  /** Reaction to requests after the last turn; by default, an agent that loops is refused. */
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

/** The turn that answers this request, or why none does. */
export type Choice = { readonly ok: true; readonly chosen: ChosenTurn } | { readonly ok: false; readonly why: string };

type RuleMatch = { readonly rule: Rule; readonly index: number; readonly anchor: number };

const SIDE_ANSWER: Turn = { text: "Scripted side answer" };

/**
 * Selects rule and turn from the request alone. No state is kept between requests: retries, resumed conversations
 * and parallel ones each find their turn.
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

/** Marks the calls of a turn, to find the turn in the history later. */
const callKey = (rule: number, turn: number): string => `rule${rule}turn${turn}`;
const CALL_KEY = /rule([0-9]+)turn([0-9]+)/;

/** Agents request titles and the like without offering tools; suggestions replay the conversation with a marker. */
function isSideCall(request: ModelRequest): boolean {
  if (request.tools.length === 0) return true;
  const last = request.messages.findLast((message) => message.role === "user");
  return last?.text.trimStart().startsWith("[SUGGESTION MODE") ?? false;
}

/** The rule matching the latest message wins; the first one of several. */
function latestAnchored(rules: readonly Rule[], request: ModelRequest, aside: boolean): RuleMatch | null {
  let best: RuleMatch | null = null;
  for (const [index, rule] of rules.entries()) {
    if ((rule.when?.sideCall === true) !== aside) continue;
    const anchor = findAnchor(rule, request);
    if (anchor !== -1 && (best === null || anchor > best.anchor)) best = { rule, index, anchor };
  }
  return best;
}

/** The message a rule starts at: the last prompt it matches, or the first one without a pattern. */
function findAnchor(rule: Rule, request: ModelRequest): number {
  const { prompt, system } = rule.when ?? {};
  if (system !== undefined && !matches(system, request.system)) return -1;
  if (prompt === undefined) return request.messages.findIndex((message) => message.role === "user");
  return request.messages.findLastIndex((message) => message.role === "user" && matches(prompt, message.text));
}

/** Calls identify their turn exactly; text answers are counted after the last call. */
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
