import { Link } from "@tanstack/react-router";

export function Missing() {
  return (
    <div className="page">
      <h1>There is nothing here</h1>
      <p>
        <Link to="/">Go to the inbox</Link>
      </p>
    </div>
  );
}
