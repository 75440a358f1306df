import type { IncomingHttpHeaders } from "node:http";

export type RequestRefusal = { readonly status: 400 | 401 | 403 | 405 | 415; readonly what: string };

export type IncomingRequest = { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders };

/**
 * Lists the origins of this server. Requests to any other host name are refused, even if it resolves to this machine.
 */
export const localOrigins = (port: number): readonly string[] => [
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}`,
  `http://[::1]:${port}`,
];

/** Returns the reason to refuse a request, if there is one. Sessions are checked separately. */
export function findRefusal(asked: IncomingRequest, origins: readonly string[]): RequestRefusal | null {
  const { host, origin, "sec-fetch-site": site } = asked.headers;
  const named = origins.find((one) => new URL(one).host === host?.toLowerCase());
  if (named === undefined) return { status: 403, what: "Unknown host name." };
  if (origin !== undefined && origin !== named) return { status: 403, what: "Cross-site request refused." };
  if (!isSameSite(asked, site)) return { status: 403, what: "Cross-site request refused." };
  return methodRefusal(asked);
}

/**
 * Accepts all requests from the web UI itself. Otherwise the user may only open a page, by typing its address or
 * opening the link outside of a website. Requests without `Sec-Fetch-Site` pass.
 */
function isSameSite({ path, headers }: IncomingRequest, site: string | string[] | undefined): boolean {
  if (site === undefined || site === "same-origin") return true;
  return site === "none" && !isApi(path) && headers["sec-fetch-mode"] === "navigate";
}

function methodRefusal({ method, path, headers }: IncomingRequest): RequestRefusal | null {
  const mayRead = method === "GET" || method === "HEAD";
  if (mayRead) return null;
  if (method !== "POST" || !isApi(path)) return { status: 405, what: "Only GET, and POST under /api, are supported." };
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  return type === "application/json" ? null : { status: 415, what: "The body must be JSON." };
}

export const isApi = (path: string): boolean => path === "/api" || path.startsWith("/api/");

/**
 * Returns the session in a request's Authorization header, if any. Cookies are never used: other sites could make a
 * browser send them.
 */
export function sessionIn(authorization: string | undefined): string | null {
  return /^Bearer ([A-Za-z0-9_-]{20,100})$/.exec(authorization ?? "")?.[1] ?? null;
}

const OWN = "default-src 'none'; base-uri 'none'; form-action 'none'";

/**
 * Allows only script files of the web UI, its style files and styles with the nonce of this page, and requests to this
 * server.
 */
export const pagePolicy = (nonce: string): string =>
  `${OWN}; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'`;

/** Diagrams are drawn in a separate frame that can reach nothing. The result is displayed as an image. */
export const diagramPolicy = `${OWN}; script-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'`;

export const commonHeaders: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};
