import type { PasskeyKey } from "../schema/passkey.ts";

export type Passkey = PasskeyKey & {
  /** What the person calls it. */
  readonly name: string;
  readonly createdAt: string;
  /** How often it has signed, as the authenticator counts; 0 where it does not count. */
  readonly counter: number;
};

/** The passkeys a person has registered; public keys only. */
export interface Passkeys {
  /** @throws ProblemError SETTINGS_UNREADABLE where the file means nothing: who may decide is not guessed. */
  list(): readonly Passkey[];
  /** Adds one, or puts it in the place of the one with its id. */
  keep(passkey: Passkey): void;
  remove(id: string): void;
}
