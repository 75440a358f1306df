import type { Drivers } from "./go-on.ts";
import type { Opener } from "./person.ts";
import type { Repository } from "./repository.ts";
import type { Sessions } from "./sessions.ts";

/** What the routes of the page's server need. */
export type Served = {
  readonly repository: Repository;
  readonly sessions: Sessions;
  readonly drivers: Drivers;
  readonly opener: Opener;
  readonly version: string;
  /** Folder of the built page. */
  readonly web: string;
  readonly warn: (warning: string) => void;
};
