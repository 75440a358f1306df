import type { IncomingHttpHeaders } from "node:http";

export type RequestRefusal = { readonly status: 400 | 401 | 403 | 405 | 415; readonly what: string };

export type IncomingRequest = { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders };

/** What this server is called in a browser. A page of another name, though it leads here, is refused. */
export const localOrigins = (port: number): readonly string[] => [
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}`,
  `http://[::1]:${port}`,
];

/** Why a request is not answered; null where nothing speaks against it. Sessions are looked at apart. */
export function findRefusal(asked: IncomingRequest, origins: readonly string[]): RequestRefusal | null {
  const { host, origin, "sec-fetch-site": site } = asked.headers;
  const named = origins.find((one) => new URL(one).host === host?.toLowerCase());
  if (named === undefined) return { status: 403, what: "This server has another name." };
  if (origin !== undefined && origin !== named) return { status: 403, what: "Asked for by another site." };
  if (!isSameSite(asked, site)) return { status: 403, what: "Asked for by another site." };
  return methodRefusal(asked);
}

/** A person may open the page from anywhere by typing or following the link; everything else comes from the page itself. */
function isSameSite({ path, headers }: IncomingRequest, site: string | string[] | undefined): boolean {
  if (site === undefined || site === "same-origin") return true;
  return site === "none" && !isApi(path) && headers["sec-fetch-mode"] === "navigate";
}

function methodRefusal({ method, path, headers }: IncomingRequest): RequestRefusal | null {
  const mayRead = method === "GET" || method === "HEAD";
  if (mayRead) return null;
  if (method !== "POST" || !isApi(path)) return { status: 405, what: "Only GET, and POST below /api, are answered." };
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  return type === "application/json" ? null : { status: 415, what: "The body must be JSON." };
}

export const isApi = (path: string): boolean => path === "/api" || path.startsWith("/api/");

/** The session a request carries in its header; null without one. Never a cookie: other sites could make a browser send that. */
export function sessionIn(authorization: string | undefined): string | null {
  return /^Bearer ([A-Za-z0-9_-]{20,100})$/.exec(authorization ?? "")?.[1] ?? null;
}

const OWN = "default-src 'none'; base-uri 'none'; form-action 'none'";

/** No script but ours from files, no style but ours and those that carry the nonce of this page, no request to anywhere else. */
export const pagePolicy = (nonce: string): string =>
  `${OWN}; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'`;

/** Diagrams are drawn in a frame of their own, which can reach nothing; what comes out is shown as an image. */
export const diagramPolicy = `${OWN}; script-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'`;

export const commonHeaders: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};
