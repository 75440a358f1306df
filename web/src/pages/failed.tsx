import { Link } from "@tanstack/react-router";
import { useTitle } from "../title.ts";
import { Trouble } from "../parts/trouble.tsx";

/** Displayed after a rendering error of a page. Runs and gates are unchanged. */
export function Failed({ error }: { readonly error: unknown }) {
  useTitle("Error");
  return (
    <div className="page">
      <Trouble error={error} />
      <p>
        Nothing was sent. <Link to="/">Go to the inbox</Link>, or decide in a terminal.
      </p>
    </div>
  );
}
