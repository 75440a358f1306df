import { Link } from "@tanstack/react-router";
import { useTitle } from "../title.ts";

export function Missing() {
  useTitle("Not found");
  return (
    <div className="page">
      <h1>There is nothing here</h1>
      <p>
        <Link to="/">Go to the inbox</Link>
      </p>
    </div>
  );
}
