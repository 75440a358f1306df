import type * as z from "zod/mini";

export type Schema = z.core.$ZodType;

/** One request that the server answers. */
export type Operation = {
  readonly method: "get" | "post" | "delete";
  /** As the router has it. */
  readonly path: string;
  readonly summary: string;
  /** Whose token it takes; `page`: the cookie of a browser that is signed in; `everybody`: neither. */
  readonly by: "person" | "worker" | "anybody" | "page" | "everybody";
  readonly query?: readonly string[];
  readonly body?: Schema;
  /** What is answered as JSON; null: a browser is sent elsewhere. */
  readonly answer: Schema | null;
  /** Answered as messages that follow each other, as long as somebody listens. */
  readonly isStream?: true;
};
