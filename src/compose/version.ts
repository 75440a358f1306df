declare const ISDLC_VERSION: string | undefined;

/** Set by the build. A version from source differs from every release. */
export const version: string = typeof ISDLC_VERSION === "string" ? ISDLC_VERSION : "0.0.0-source";
