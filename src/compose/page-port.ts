import { sha256 } from "../adapters/file-system/node-crypto.ts";

const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** The same for a repository every time: what a browser keeps for the page, like drafts, belongs to its port. */
export const pagePort = (root: string): number => FIRST_PORT + (Number.parseInt(sha256(root).slice(0, 8), 16) % PORTS);
