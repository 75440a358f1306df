import type { PasskeyKey } from "../schema/passkey.ts";

export type Passkey = PasskeyKey & {
  /** Name given by the user. */
  readonly name: string;
  readonly createdAt: string;
  /** Number of signatures counted by the authenticator. 0 if it does not count. */
  readonly counter: number;
};

/** The user's registered passkeys; public keys only. */
export interface Passkeys {
  /** @throws ProblemError SETTINGS_UNREADABLE if the file is invalid, because isdlc must not guess who may decide. */
  list(): readonly Passkey[];
  /** Adds a passkey, or replaces the one with the same id. */
  keep(passkey: Passkey): void;
  remove(id: string): void;
}
