import type { TeamServer } from "../server/team-server.ts";
import type { Provider } from "../oidc/provider.ts";
import type { PageTrees } from "./page-trees.ts";

/** Path prefix of requests by the web UI. Requests by programs and workers have other paths, and accept no cookie. */
export const PAGE_API = "/api/page";

export type TeamPage = {
  readonly server: TeamServer;
  readonly trees: PageTrees;
  /** Origins of the server in browsers: `https://isdlc.example.org`. */
  readonly origins: () => readonly string[];
  /** Provider for sign-in, if the operator configured one. */
  readonly provider: Provider | null;
  /** Folder of the built web UI. */
  readonly web: string;
};
