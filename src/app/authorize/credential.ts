/**
 * What a caller offers to show that they are a person. A surface with another way adds a variant here and its check to
 * the table in `authorize.ts`; nothing else has to know it.
 */
export type Credential =
  /** The terminal that this program was started at. */
  | { readonly is: "terminal" }
  /** An approval token, made before the run. */
  | { readonly is: "token"; readonly token: string }
  /** A command typed at the prompt of an agent session, brought by the session's own product; judged by its process. */
  | { readonly is: "prompt"; readonly pid: number }
  /** A session of the page, which its server has checked; the server was started by this person. */
  | { readonly is: "page"; readonly name: string }
  /** A decision signed with a passkey, whose signature the page's server has verified. */
  | { readonly is: "passkey"; readonly name: string };
