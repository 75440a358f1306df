/** Something a person must decide before work goes on; nothing has been written yet. */
export type Choice = {
  /** What is asked. A surface knows by it how it is asked, and how it can be answered beforehand. */
  readonly id: ChoiceId;
  readonly kind: ChoiceKind;
  readonly options: readonly string[];
  readonly about: readonly string[];
  /** What a person who was asked and said no is told in place of `about`. */
  readonly declined?: readonly string[];
  /** What to do instead, for a person who was asked and said no. */
  readonly instead?: string;
  /** Changed files behind a choice about a stale analysis, to be viewed before it is made. */
  readonly changes?: { readonly since: string; readonly paths: readonly string[] };
  /** Where work goes on, for a choice that is about a place. */
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
  /** Which of several items is meant. */
  | "item"
  /** The code moved on since the analysis. */
  | "stale"
  /** The analysis stopped midway. */
  | "partial"
  /** An analysis of the same item is open. */
  | "analysis"
  /** Settings of a project that had review gates cannot be read. */
  | "supervision"
  /** The build begins after an analysis that is done already. */
  | "proceed"
  /** There is no git to work with. */
  | "git"
  /** There are uncommitted changes. */
  | "dirty"
  /** The way of running tests is not trusted yet. */
  | "tests"
  /** Hooks, filters or other programs of the repository are not trusted yet. */
  | "hooks"
  /** Phases that usually come first are left out. */
  | "skips"
  /** The phase was begun and not finished. */
  | "begun"
  /** The work is in another working tree. */
  | "place"
  /** Whether the work gets a working tree of its own. */
  | "worktree"
  /** Tasks are not ticked off. */
  | "tasks"
  /** Work is given up. */
  | "discard"
  /** A test command, an overlay or hooks are to be trusted. */
  | "trust"
  /** A statement of somebody else is to be signed. */
  | "countersign"
  /** There is no such item yet. */
  | "create"
  /** An item is taken out. */
  | "remove";

/** Thrown to leave what cannot go on without a person's choices. */
export class ChoicesNeeded extends Error {
  override readonly name = "ChoicesNeeded";
  readonly choices: readonly Choice[];
  constructor(choices: readonly Choice[]) {
    super(choices.flatMap(({ about }) => about).join("\n"));
    this.choices = choices;
  }
}
