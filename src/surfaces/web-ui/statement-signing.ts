import { signedBytes } from "../../adapters/attestation/dsse.ts";
import type { UnsignedAttestation } from "../../adapters/attestation/attest-run.ts";
import { readSigningKey, NAMESPACE } from "../../adapters/attestation/ssh-signature.ts";
import { THIS_MACHINE } from "../../adapters/identity/relying-party.ts";
import { challengeFor, sshKeyLine, toSshSignature } from "../../adapters/identity/ssh-form.ts";
import { verifyAssertion } from "../../adapters/identity/verify-assertion.ts";
import { isAttestable, noteStatement, buildUnsigned } from "../../compose/attest-run.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Assertion, Challenge } from "../../schema/api-passkey.ts";
import type { RunStatement } from "../../schema/attestation.ts";
import type { FoundRun } from "./repository.ts";
import type { Passkey } from "../../ports/callers.ts";

/** Signs the statement about an ended run with a passkey instead of git's key. */
export type StatementSigner = {
  /** Returns true if there is something to sign, and a passkey whose signatures others can verify. */
  isOffered(found: FoundRun): boolean;
  /**
   * Creates the challenge to sign.
   * @throws ProblemError NOTHING_TO_ATTEST.
   */
  create(found: FoundRun): Promise<Challenge>;
  /**
   * Saves the signed statement as a git note. A challenge works once.
   * @throws ProblemError PASSKEY_REFUSED for an invalid signature.
   */
  take(found: FoundRun, assertion: Assertion, origin: string): Promise<RunStatement>;
};

const CHALLENGE_LIFETIME_MS = 5 * 60_000; // milliseconds

export function createStatementSigning(now: () => number): StatementSigner {
  const open = new Map<
    string,
    { readonly unsigned: UnsignedAttestation; readonly challenge: string; readonly madeAt: number }
  >();
  return {
    isOffered: ({ run, project }) =>
      run.is === "ended" && isAttestable(run) && able(project.passkeys.list()).length > 0,
    async create({ run, project }) {
      const unsigned = await buildUnsigned(project, run.run.run);
      const challenge = challengeFor(signedBytes(unsigned.payload), NAMESPACE);
      open.set(run.run.run, { unsigned, challenge, madeAt: now() });
      return { challenge, relyingParty: THIS_MACHINE, passkeys: able(project.passkeys.list()).map(({ id }) => id) };
    },
    async take({ run, project }, assertion, origin) {
      const made = open.get(run.run.run);
      open.delete(run.run.run);
      if (made === undefined || now() - made.madeAt > CHALLENGE_LIFETIME_MS)
        throw refused("it was not asked for, or came too late");
      const key = able(project.passkeys.list()).find(({ id }) => id === assertion.id);
      if (key === undefined) throw refused("this passkey is not registered, or signs nothing that others can verify");
      const { id: passkey, clientData, authenticatorData, signature: bytes } = assertion;
      const signature = { passkey, clientData, authenticatorData, bytes };
      const { challenge, unsigned } = made;
      const verified = await verifyAssertion(signature, { key, origin, counter: key.counter, challenge });
      if (!verified.ok) throw refused(verified.detail);
      project.passkeys.keep({ ...key, counter: verified.counter });
      const sig = toSshSignature(signature, { key, namespace: NAMESPACE });
      const keyid = sig === null ? null : readSigningKey(sig);
      if (sig === null || keyid === null) throw refused("it has no form that others can verify");
      await noteStatement(project, unsigned, { keyid, sig });
      return unsigned.statement;
    },
  };
}

const able = (passkeys: readonly Passkey[]): readonly Passkey[] => passkeys.filter((key) => sshKeyLine(key) !== null);

const refused = (detail: string): ProblemError => new ProblemError({ code: "PASSKEY_REFUSED", detail });
