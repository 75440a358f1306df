import type { WaitKind } from "./api.ts";
import type { RunId } from "./ids.ts";

/** Notification that a run waits, for users who do not watch it. */
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
  /** One sentence for users. */
  readonly text: string;
};
