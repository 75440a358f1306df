import { Link } from "@tanstack/react-router";
import { Trouble } from "../parts/trouble.tsx";

/** A page that could not be drawn. Runs and gates are as they were. */
export const Failed = ({ error }: { readonly error: unknown }) => (
  <div className="page">
    <Trouble error={error} />
    <p>
      Nothing was sent. <Link to="/">Go to the inbox</Link>, or decide in a terminal.
    </p>
  </div>
);
