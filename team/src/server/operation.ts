import type * as z from "zod/mini";

export type Schema = z.core.$ZodType;

/** An operation of the API. */
export type Operation = {
  readonly method: "get" | "post" | "delete";
  /** In the router's syntax. */
  readonly path: string;
  readonly summary: string;
  /**
   * Required credential: token of a user, of a worker, or of either (`anybody`); `page`: cookie of a signed-in
   * browser; `everybody`: none.
   */
  readonly by: "person" | "worker" | "anybody" | "page" | "everybody";
  readonly query?: readonly string[];
  readonly body?: Schema;
  /** JSON response; null for a redirect. */
  readonly answer: Schema | null;
  /** The response is a stream of messages. */
  readonly isStream?: true;
};
