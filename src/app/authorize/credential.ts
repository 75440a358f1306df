/**
 * Proof offered by a caller to be a person. An interface with a new kind adds a variant here and its check to the
 * table in `authorize.ts`; no other code depends on it.
 */
export type Credential =
  /** Terminal of this process. */
  | { readonly is: "terminal" }
  /** Approval token, created before the run. */
  | { readonly is: "token"; readonly token: string }
  /** Command typed at the prompt of an agent session and passed on by the agent product, whose process is checked. */
  | { readonly is: "prompt"; readonly pid: number }
  /** Web UI session, checked by its server, which this user started. */
  | { readonly is: "page"; readonly name: string }
  /** Decision signed with a passkey; the web UI server has verified the signature. */
  | { readonly is: "passkey"; readonly name: string };
