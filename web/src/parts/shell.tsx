import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { useSyncExternalStore, useEffect, useState } from "react";
import type { ProjectView } from "../../../src/schema/api-project.ts";
import { api } from "../api.ts";
import { useShortcuts, isPlain, SHORTCUTS } from "../keyboard.ts";
import { currentConnection, onConnection } from "../live.ts";
import { isTeam, WHEN_GONE } from "../served-by.ts";
import { Announcements } from "./announce.tsx";
import { ChartIcon, InboxIcon, ItemsIcon, PlusIcon, SettingsIcon } from "./icons.tsx";
import { Dialog } from "radix-ui";

const PAGES = [
  { to: "/", label: "Inbox", icon: InboxIcon },
  { to: "/items", label: "Items", icon: ItemsIcon },
  { to: "/charts", label: "Charts", icon: ChartIcon },
  { to: "/settings", label: "Settings", icon: SettingsIcon },
] as const;

export function Shell() {
  const { data: project } = useQuery({ queryKey: ["project"], queryFn: api.project });
  const { data: runs } = useQuery({ queryKey: ["runs", "", null], queryFn: () => api.runs("", null) });
  useShortcuts();
  const waiting = runs?.counts.waiting ?? 0;
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="side">
        <Link to="/" className="brand">
          <img src="/icon.svg" alt="" width="22" height="22" />
          <span className="brand-name">{project?.name ?? "iSDLC"}</span>
        </Link>
        <nav aria-label="Pages">
          {PAGES.map(({ to, label, icon: Icon }) => (
            <Link key={to} to={to} className="nav-link" activeOptions={{ exact: true }}>
              <Icon />
              <span>{label}</span>
              {to === "/" && waiting > 0 ? (
                <span className="count" aria-label={`${waiting} waiting`}>
                  {waiting}
                </span>
              ) : null}
            </Link>
          ))}
        </nav>
        {mayBegin(project) ? (
          <Link to="/new" className="button new-run">
            <PlusIcon />
            <span>New run</span>
          </Link>
        ) : null}
        {isTeam ? <Account person={project?.person ?? ""} /> : null}
        <footer className="side-foot">
          <ConnectionState />
          <KeyboardHelp />
        </footer>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <Refused />
        {project?.readOnly ? <p className="notice notice-warn">{project.readOnly}</p> : null}
        <Outlet />
      </main>
      <Announcements />
    </div>
  );
}

const mayBegin = (project: ProjectView | undefined): boolean =>
  !isTeam || project?.repositories.some((one) => one.mayBegin) === true;

const Account = ({ person }: { readonly person: string }) => (
  <>
    <Link to="/passkeys" className="nav-link">
      Your passkeys
    </Link>
    <button
      type="button"
      className="button"
      onClick={() => void api.signOut().then(() => location.assign("/"))}
      title={`Signed in as ${person}`}
    >
      Sign out
    </button>
  </>
);

const CONNECTION_WORDS = {
  connecting: "Connecting",
  live: "Live",
  lost: "Server gone",
  refused: "Not signed in",
} as const;

function ConnectionState() {
  const state = useSyncExternalStore(onConnection, currentConnection);
  return (
    <span className={`connection connection-${state}`} role="status" title={TITLES[state]}>
      {CONNECTION_WORDS[state]}
    </span>
  );
}

/** Displayed after a restart of the server: its new link lets all tabs of this browser in. */
function Refused() {
  const state = useSyncExternalStore(onConnection, currentConnection);
  if (state !== "refused" || isTeam) return null;
  return (
    <p className="notice notice-warn" role="alert">
      <strong>isdlc ui was restarted.</strong> Open the link that it printed, in any tab of this browser. Your drafts
      are kept, and this page continues.
    </p>
  );
}

const TITLES = {
  connecting: "Asking the server",
  live: "Changes show as they happen",
  lost: `${WHEN_GONE}. This page reconnects when the server is back.`,
  refused: "The server was restarted and does not know this browser. Open the link that it printed.",
} as const;

function KeyboardHelp() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "?" && isPlain(event)) setOpen(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className="quiet keys-button" aria-label="Keyboard shortcuts">
        ?
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>Keyboard</Dialog.Title>
          <dl className="keys">
            {SHORTCUTS.map(({ keys, does }) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <div className="dialog-foot">
            <Dialog.Close className="button">Close</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
