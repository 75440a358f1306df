import type { Drivers } from "./drivers.ts";
import type { Opener } from "./person.ts";
import type { ServedRepository } from "./repository.ts";
import type { Challenges } from "./challenges.ts";
import type { Registration } from "./registration.ts";
import type { Sessions } from "./sessions.ts";
import type { StatementSigner } from "./statement-signing.ts";

/** Dependencies of the server's routes. */
export type ServerContext = {
  readonly repository: ServedRepository;
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  readonly statements: StatementSigner;
  /** Registration of one passkey, or null for a web UI that registers none. */
  readonly registration: Registration | null;
  /** `http://localhost:21000`, to which passkeys are bound. */
  readonly origin: () => string;
  readonly drivers: Drivers;
  readonly opener: Opener;
  readonly version: string;
  /** Folder of the built web UI. */
  readonly web: string;
  readonly warn: (warning: string) => void;
};
