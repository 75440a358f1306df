import type { TeamServer } from "../server/team-server.ts";
import type { Provider } from "../oidc/provider.ts";
import type { PageTrees } from "./page-trees.ts";

/** What the page's requests begin with; those of programs and workers lie beside it, and take no cookie. */
export const PAGE_API = "/api/page";

export type TeamPage = {
  readonly server: TeamServer;
  readonly trees: PageTrees;
  /** Where people's browsers find the server: `https://isdlc.example.org`. */
  readonly origins: () => readonly string[];
  /** Whom people can sign in with besides; null where the operator named nobody. */
  readonly provider: Provider | null;
  /** Folder of the built page. */
  readonly web: string;
};
