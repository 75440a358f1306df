import type { Drivers } from "./drivers.ts";
import type { Opener } from "./person.ts";
import type { Repository } from "./repository.ts";
import type { Challenges } from "./challenges.ts";
import type { Registration } from "./registration.ts";
import type { Sessions } from "./sessions.ts";
import type { StatementSigner } from "./statement-signing.ts";

/** What the routes of the page's server need. */
export type ServerContext = {
  readonly repository: Repository;
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  readonly statements: StatementSigner;
  /** Where one passkey is to be registered; null for a page that is there to be looked at. */
  readonly registration: Registration | null;
  /** `http://localhost:21000`: passkeys are bound to it. */
  readonly origin: () => string;
  readonly drivers: Drivers;
  readonly opener: Opener;
  readonly version: string;
  /** Folder of the built page. */
  readonly web: string;
  readonly warn: (warning: string) => void;
};
