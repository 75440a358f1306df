import {
  registeredPasskey,
  registrationOptions,
  type RegistrationOptions,
} from "../../adapters/passkeys/register-passkey.ts";
import { THIS_MACHINE } from "../../adapters/passkeys/relying-party.ts";
import type { LocalProject } from "../../compose/project.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Passkey } from "../../ports/passkeys.ts";
import type { NewPasskey } from "../../schema/api-passkey.ts";

/** Registration of one passkey. Without it, the server registers none. */
export type Registration = {
  options(): Promise<RegistrationOptions>;
  /** @throws ProblemError PASSKEY_REFUSED if the browser was not asked for this passkey. */
  add(made: NewPasskey, origin: string): Promise<Passkey>;
  /** Called after the browser received the response: the page is no longer needed. */
  end(passkey: Passkey): void;
};

export function createRegistration(
  { passkeys, clock }: Pick<LocalProject, "passkeys" | "clock">,
  person: string,
  onEnd: (passkey: Passkey) => void,
): Registration {
  let challenge: string | null = null;
  return {
    async options() {
      const options = await registrationOptions({
        person,
        relyingParty: THIS_MACHINE,
        known: passkeys.list(),
        residentKey: "preferred",
      });
      ({ challenge } = options);
      return options;
    },
    async add(made, origin) {
      const asked = challenge;
      challenge = null;
      if (asked === null) throw new ProblemError({ code: "PASSKEY_REFUSED", detail: "nothing was asked for" });
      const passkey = await registeredPasskey(made, { challenge: asked, origin, now: clock.now() });
      passkeys.keep(passkey);
      return passkey;
    },
    end: onEnd,
  };
}
