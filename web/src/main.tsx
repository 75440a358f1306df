import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepFocus } from "./focus.ts";
import { createQueries } from "./queries.ts";
import { api } from "./api.ts";
import { Closed } from "./pages/closed.tsx";
import { Invitation } from "./pages/invitation.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { announce } from "./parts/announce.tsx";
import { router } from "./router.tsx";
import { openSession, takenFromAddress, whenLinkIsStale } from "./session.ts";
import { startTelling } from "./telling.ts";
import { applyTheme } from "./theme.ts";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/layout.css";
import "./styles/run.css";
import "./styles/gate.css";
import "./styles/diff.css";
import "./styles/markdown.css";
import "./styles/charts.css";

declare global {
  // The UI kit's scroll lock adds a style element. The server's policy accepts style elements with this nonce.
  var __webpack_nonce__: string | undefined;
}

globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content;

const STALE_LINK =
  "This link has expired or was already used. In the terminal of isdlc ui, press Enter for a new link. This tab stays signed in.";

applyTheme();
keepFocus();
const root = createRoot(document.querySelector("#root") as HTMLElement); // in index.html
const opened = await openSession().catch(() => "closed" as const);
if (opened === "open") {
  const client = createQueries();
  startTelling(client);
  whenLinkIsStale(() => announce(STALE_LINK, "bad"));
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
} else if (opened === "invited") root.render(<Invitation secret={takenFromAddress()} />);
else if (opened === "signed out") root.render(<SignIn ways={await api.waysToSignIn()} />);
else root.render(<Closed wasUsed={opened === "used"} />);
