import type * as crypto from "node:crypto";

/**
 * Node's crypto, loaded at the first use: that alone takes a tenth of the time in which bare Node starts. Its `hash` does
 * in one call what `createHash` needs a stream for.
 */
export const nodeCrypto = () => (loaded ??= process.getBuiltinModule("node:crypto"));

let loaded: typeof crypto | undefined;

export const sha256 = (content: string | Uint8Array): string => nodeCrypto().hash("sha256", content, "hex");
