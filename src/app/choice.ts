/** Decision needed from a user before work continues. Nothing has been written yet. */
export type Choice = {
  /** Subject of the question. Interfaces derive from it how to ask, and how to answer in advance. */
  readonly id: ChoiceId;
  readonly kind: ChoiceKind;
  readonly options: readonly string[];
  readonly about: readonly string[];
  /** Text for a user who declined, instead of `about`. */
  readonly declined?: readonly string[];
  /** Alternative for a user who declined. */
  readonly instead?: string;
  /** Changed files behind a choice about a stale analysis, to view before deciding. */
  readonly changes?: { readonly since: string; readonly paths: readonly string[] };
  /** Folder where work continues, for a choice about a place. */
  readonly path?: string;
};

export type ChoiceKind =
  | "stale"
  | "partial"
  | "confirm"
  | "dirty"
  | "trust"
  | "unavailable"
  | "item"
  | "supervision"
  | "place";

export type ChoiceId =
  /** Several items match. */
  | "item"
  /** Items with similar titles exist. */
  | "another"
  /** The code changed since the analysis. */
  | "stale"
  /** The analysis is incomplete. */
  | "partial"
  /** An analysis of the same item is open. */
  | "analysis"
  /** The settings of a project that had review gates are unreadable. */
  | "supervision"
  /** The build starts after a finished analysis. */
  | "proceed"
  /** No usable git repository. */
  | "git"
  /** There are uncommitted changes. */
  | "dirty"
  /** The test command is not trusted yet. */
  | "tests"
  /** Repository commands, such as hooks and filters, are not trusted yet. */
  | "hooks"
  /** Phases that usually come first are skipped. */
  | "skips"
  /** The phase was started and not finished. */
  | "begun"
  /** The work is in another working tree. */
  | "place"
  /** Use a separate worktree or not. */
  | "worktree"
  /** Some tasks are not ticked off. */
  | "tasks"
  /** Work is discarded. */
  | "discard"
  /** Trust a test command, an overlay or hooks. */
  | "trust"
  /** Sign the attestation of another user. */
  | "countersign"
  /** The item does not exist yet. */
  | "create"
  /** An item is removed. */
  | "remove";

/** Thrown if work cannot continue without a user's choices. */
export class ChoicesNeeded extends Error {
  override readonly name = "ChoicesNeeded";
  readonly choices: readonly Choice[];
  constructor(choices: readonly Choice[]) {
    super(choices.flatMap(({ about }) => about).join("\n"));
    this.choices = choices;
  }
}
