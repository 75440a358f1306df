/** Path prefix of all requests. The server writes it into the page, where it identifies the kind of server. */
export const apiBase = document.querySelector<HTMLMetaElement>('meta[name="api"]')?.content ?? "/api";

/** True for a team's server with signed-in users; false for `isdlc ui`, which admits the user of its link. */
export const isTeam = apiBase !== "/api";

/** Advice if the server does not respond. */
export const WHEN_GONE = isTeam ? "Ask the operator of the server" : "Run isdlc ui again in this repository";
