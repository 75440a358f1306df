import { ApiError } from "../api.ts";

export function Trouble({ error }: { readonly error: unknown }) {
  const problem = error instanceof ApiError ? error.problem : null;
  return (
    <div className="notice notice-bad" role="alert">
      <strong>{problem?.what ?? "Something went wrong in the page."}</strong>
      {problem !== null && problem.fix !== "" ? <p>{problem.fix}</p> : null}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what} …
    </p>
  );
}
