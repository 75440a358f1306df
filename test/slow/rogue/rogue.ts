import { Caught, type Json, type Said, type Stage } from "./stage.ts";

/**
 * refused: got an error, had no effect. ignored: had no effect. detected: had an effect that the user sees. HOLE: had
 * an effect that the user does not see.
 */
export type Outcome = "refused" | "ignored" | "detected" | "HOLE";

export type Rogue = {
  readonly number: number;
  readonly does: string;
  /** Protection, or where the user sees the attack. */
  readonly holds: string;
  readonly plain: Outcome;
  /** With agents in a sandbox. Default: as in plain. */
  readonly strict?: Outcome;
  /** By the model of a session. Default: as in plain; null if a session cannot make this attack. */
  readonly guest?: Outcome | null;
  /** A hostile process instead of a confused agent: it hides from isdlc, or uses the user's files. */
  readonly hostile?: true;
  /** Without a sandbox, the system allows the attack only to root. */
  readonly asRoot?: true;
  /** Proves that the attack was carried out, then checks its result. */
  play(stage: Stage): Promise<Outcome>;
};

export const COLUMNS = ["plain", "strict", "guest"] as const;
export type Column = (typeof COLUMNS)[number];

export function expected({ plain, strict = plain, guest = plain }: Rogue, column: Column): Outcome | null {
  return { plain, strict, guest }[column];
}

class NotReached extends Error {
  override readonly name = "NotReached";
}

/** @throws if the rogue did not carry out its attack. */
export function reached(condition: boolean, what: string): void {
  if (!condition) throw new NotReached(`not reached: ${what}`);
}

export type PlayResult = {
  readonly outcome: Outcome;
  /** True if a process ended before it could act: by its sandbox, or by chance while it was hiding. */
  readonly caught: boolean;
};

/**
 * Plays a rogue and checks the result. A sandbox stops most attacks halfway: the program crashes, which it does not
 * without a sandbox, and the run asks.
 */
export async function playRogue(rogue: Rogue, stage: Stage): Promise<PlayResult> {
  try {
    return { outcome: await rogue.play(stage), caught: false };
  } catch (error) {
    const isExpected = error instanceof Caught || (error instanceof NotReached && stage.sandboxed);
    if (!isExpected || (await decisions(stage)).length > stage.answers()) throw error;
    const { waiting } = await stage.status();
    const isBroken = waiting?.kind === "escalation" && waiting.reason === "bad_exit";
    if (stage.sandboxed && isBroken) return { outcome: "refused", caught: false };
    if (error instanceof Caught) return { outcome: "ignored", caught: true };
    throw error;
  }
}

/** True if the gate of the phase is open and no decision was recorded. */
export async function gateIsOpen(stage: Stage, phase = "00-quick-scan"): Promise<boolean> {
  const run = await stage.status();
  return run?.waiting?.kind === "gate" && run.current === phase && (await decisions(stage)).length === 0;
}

const DECIDED =
  /^(?:gate\.answered|supervision\.loosened|questions\.answered|step\.(?:retried|skipped)|run\.cancelled)$/;

/** Decisions recorded as a person's. */
export async function decisions(stage: Stage): Promise<readonly Json[]> {
  return (await stage.events()).filter(({ type }: Json) => DECIDED.test(type as string));
}

/** Detected if the user sees all of these texts. */
export async function shownAs(stage: Stage, ...texts: readonly string[]): Promise<Outcome> {
  const shown = await stage.shown();
  const missing = texts.filter((text) => !shown.includes(text));
  return missing.length === 0 ? "detected" : "HOLE";
}

export const said = ({ stdout, stderr }: Said): string => stdout + stderr;
