import { useTitle } from "../title.ts";

/** Displayed to a browser without a session. */
export function Closed({ wasUsed }: { readonly wasUsed: boolean }) {
  useTitle(wasUsed ? "Link expired" : "Not signed in");
  return (
    <main className="closed">
      <img src="/icon.svg" alt="" width="40" height="40" />
      <h1>{wasUsed ? "This link has expired or was already used" : "Open the link from your terminal"}</h1>
      <p>
        {wasUsed
          ? "A link is good for one browser and for ten minutes. If you did not use it yourself, another program did: its session has been ended."
          : "isdlc ui prints a link that gives this browser access."}
      </p>
      <p>
        In the terminal of <code>isdlc ui</code>, press Enter for a new link.
      </p>
    </main>
  );
}
