import type { WaitKind } from "./api.ts";
import type { RunId } from "./ids.ts";

/** That a run waits for a person, for those who are not looking. */
export type WaitNotice = {
  readonly event: "wait.opened";
  readonly project: string;
  readonly run: RunId;
  readonly title: string;
  readonly workflow: string;
  readonly wait: {
    readonly id: string;
    readonly kind: WaitKind;
    readonly phase: string | null;
    readonly since: string;
  };
  /** One sentence for people. */
  readonly text: string;
};
