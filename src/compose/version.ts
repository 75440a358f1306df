declare const ISDLC_VERSION: string | undefined;

/** Put in by the build; from the sources it is told apart from every release. */
export const version: string = typeof ISDLC_VERSION === "string" ? ISDLC_VERSION : "0.0.0-source";
