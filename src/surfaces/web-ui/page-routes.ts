import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Env, Hono } from "hono";
import { diagramPolicy, isApi, pagePolicy } from "./guard.ts";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

const DIAGRAM = "/diagram.html";
const NONCE = "__STYLE_NONCE__";
const API = "__API__";

/** `web`: folder of the built web UI. `api`: path prefix of its requests, which also identifies the kind of server. */
export type PageFiles = { readonly web: string; readonly api: string };

/** Serves the web UI. Every path that is neither a file nor under /api returns its start page. */
export function addPageRoutes<E extends Env>(app: Hono<E>, { web, api }: PageFiles): void {
  const files = webFiles(web);
  const packed = new Map<string, Uint8Array<ArrayBuffer>>();
  app.get("*", (context) => {
    const { path } = context.req;
    if (isApi(path)) return context.notFound();
    const file = files.get(path);
    if (file === undefined || path === "/index.html") return index(files, api);
    const policy: Record<string, string> = path === DIAGRAM ? { "Content-Security-Policy": diagramPolicy } : {};
    const body = packed.get(path) ?? new Uint8Array(gzipSync(readWebFile(file)));
    packed.set(path, body);
    const isUnchanging = path.startsWith("/assets/");
    return new Response(body, {
      headers: {
        ...policy,
        "Content-Type": file.type,
        "Content-Encoding": "gzip",
        "Cache-Control": isUnchanging ? "public, max-age=31536000, immutable" : "no-store",
      },
    });
  });
}

function index(files: ReadonlyMap<string, WebFile>, api: string): Response {
  const file = files.get("/index.html");
  if (file === undefined) return new Response("The page was not built.", { status: 500 });
  const nonce = randomBytes(16).toString("base64");
  const html = readWebFile(file).toString("utf8").replaceAll(NONCE, nonce).replaceAll(API, api);
  const headers = {
    "Content-Type": file.type,
    "Content-Security-Policy": pagePolicy(nonce),
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
  };
  return new Response(html, { headers });
}

type WebFile = { readonly path: string; readonly type: string };

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/**
 * Lists the files of the web UI by request path. A path that is not in this list does not exist, however it is
 * written.
 */
function webFiles(folder: string): ReadonlyMap<string, WebFile> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    found.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const type = TYPES[extname(entry.name)];
      return type === undefined ? [] : [[`/${relative(folder, path).split(sep).join("/")}`, { path, type }] as const];
    }),
  );
}

const readWebFile = ({ path }: WebFile): Buffer => readFileSync(path);
