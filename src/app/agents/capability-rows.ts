import type { Capabilities } from "../../ports/agent-backend.ts";
import type { RunOptions } from "../../schema/plan.ts";

export type Ability = Exclude<keyof Capabilities, "version">;

export type CapabilityRow = {
  readonly ability: Ability | "unsandboxed";
  readonly name: string;
  readonly can: boolean;
  /** Consequence for a run; null if the agent has the capability. */
  readonly reason: string | null;
};

type CapabilityLine = { readonly name: string; readonly without: (agent: string) => string };

const rows: Readonly<Record<Ability, CapabilityLine>> = {
  structuredResult: {
    name: "result",
    without: (agent) => `${agent} does not support structured results: it is asked in words, and the answer is checked`,
  },
  readOnly: {
    name: "read-only",
    without: (agent) => `${agent} has no read-only mode: it reviews a copy that is thrown away`,
  },
  cost: {
    name: "cost",
    without: (agent) =>
      agent === "command"
        ? "your own program may not report its cost: a budget in dollars counts what it reports"
        : `${agent} does not report its cost: a budget in dollars does not count it`,
  },
  turns: {
    name: "turns",
    without: (agent) => `${agent} has no limit on turns: only time and silence end an execution`,
  },
  budget: {
    name: "budget",
    without: (agent) => `${agent} has no limit on money: the budget counts after each execution`,
  },
  resumes: {
    name: "resume",
    without: (agent) => `${agent} starts a new conversation for every execution`,
  },
};

/**
 * Lists an agent's capabilities, and the consequence of each missing one. The sandbox row exists only for agents that
 * need a sandbox.
 */
export function capabilityRows({ name: agent, able, needsSandbox: reason }: AbleAgent): readonly CapabilityRow[] {
  const unsandboxed = { ability: "unsandboxed", name: "without sandbox", can: false, reason } as const;
  const told = Object.entries(rows).map(([key, { name, without }]) => {
    const ability = key as Ability; // a key of the table above
    return { ability, name, can: able[ability], reason: able[ability] ? null : without(agent) };
  });
  return reason === null ? told : [...told, unsandboxed];
}

export type AbleAgent = {
  readonly name: string;
  readonly able: Capabilities;
  /** Why it needs a sandbox; null if it does not. */
  readonly needsSandbox: string | null;
};

/** Lists requested options that the agents do not support. */
export function unmetWishes(
  { budget, limits, session }: Pick<RunOptions, "budget" | "limits" | "session">,
  agents: readonly AbleAgent[],
): readonly string[] {
  const money = (budget?.usd ?? null) !== null;
  const turns = (limits?.turns ?? null) !== null;
  const unmet = agents.flatMap((agent) => {
    const { able } = agent;
    const wishes: Ability[] = [
      ...(money ? [able.cost ? ("budget" as const) : ("cost" as const)] : []),
      ...(turns ? ["turns" as const] : []),
      ...(session === "shared" ? ["resumes" as const] : []),
    ];
    const told = capabilityRows(agent).filter(({ ability }) => ability !== "unsandboxed" && wishes.includes(ability));
    return told.flatMap(({ reason }) => reason ?? []);
  });
  return [...new Set(unmet)].map((reason) => `${reason}.`);
}
