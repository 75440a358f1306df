/** What requests begin with: the server writes it into the page, and by it the page knows who serves it. */
export const apiBase = document.querySelector<HTMLMetaElement>('meta[name="api"]')?.content ?? "/api";

/** Served by a team's server, for people who sign in; otherwise by `isdlc ui`, for whoever has its link. */
export const isTeam = apiBase !== "/api";

/** What to do where the server does not answer. */
export const WHEN_GONE = isTeam ? "Ask whoever runs the server" : "Run isdlc ui again in this repository";
