import { sha256 } from "../adapters/file-system/node-crypto.ts";

const FIRST_PORT = 20_000;
const PORTS = 10_000;

/**
 * Returns the port of a repository's web UI. It is always the same, because browsers store data such as drafts by
 * port.
 */
export const pagePort = (root: string): number => FIRST_PORT + (Number.parseInt(sha256(root).slice(0, 8), 16) % PORTS);
