import { Link } from "@tanstack/react-router";
import { Trouble } from "../parts/trouble.tsx";

/** Displayed after a rendering error of a page. Runs and gates are unchanged. */
export const Failed = ({ error }: { readonly error: unknown }) => (
  <div className="page">
    <Trouble error={error} />
    <p>
      Nothing was sent. <Link to="/">Go to the inbox</Link>, or decide in a terminal.
    </p>
  </div>
);
