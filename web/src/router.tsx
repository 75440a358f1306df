import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { Charts } from "./pages/charts.tsx";
import { Inbox, parseInboxSearch } from "./pages/inbox.tsx";
import { Items } from "./pages/items.tsx";
import { NewPasskey } from "./pages/passkey.tsx";
import { OwnPasskeys } from "./pages/own-passkeys.tsx";
import { NewRun, type NewRunSearch } from "./pages/new-run.tsx";
import { RunPage } from "./pages/run-page.tsx";
import { Settings } from "./pages/settings.tsx";
import { TeamSettings } from "./pages/team-settings.tsx";
import { GatePage } from "./gate/gate-page.tsx";
import { isTeam } from "./served-by.ts";
import { Failed } from "./pages/failed.tsx";
import { Missing } from "./pages/missing.tsx";
import { Shell } from "./parts/shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: Missing });
const at = <P extends string>(path: P, component: () => React.JSX.Element) =>
  createRoute({ getParentRoute: () => root, path, component });

const inboxRoute = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: parseInboxSearch,
  component: function InboxAt() {
    const navigate = inboxRoute.useNavigate();
    const asked = inboxRoute.useSearch();
    return <Inbox asked={asked} onAsk={(search) => void navigate({ search, replace: true })} />;
  },
});

const runRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run",
  component: function Run() {
    const { run } = runRoute.useParams();
    return <RunPage key={run} run={run} />;
  },
});
const gateRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run/gate",
  component: function Gate() {
    const { run } = gateRoute.useParams();
    return <GatePage key={run} run={run} />;
  },
});

const newRoute = createRoute({
  getParentRoute: () => root,
  path: "/new",
  validateSearch: ({ what, item, repository }): NewRunSearch => ({
    ...((what === "analyze" || what === "build") && typeof item === "string" ? { what, item } : {}),
    ...(typeof repository === "string" ? { repository } : {}),
  }),
  component: function New() {
    const wanted = newRoute.useSearch();
    return <NewRun key={`${wanted.what} ${wanted.item}`} {...wanted} />;
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    inboxRoute,
    at("/items", Items),
    at("/charts", Charts),
    at("/settings", isTeam ? TeamSettings : Settings),
    newRoute,
    at("/passkey", NewPasskey),
    at("/passkeys", OwnPasskeys),
    runRoute,
    gateRoute,
  ]),
  scrollRestoration: true,
  defaultErrorComponent: Failed,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
