/** What a browser binds a passkey to: the host of the page it was made at, whatever the port. */
export const relyingPartyOf = (origin: string): string => new URL(origin).hostname;

/** Of pages that are served on the person's own machine. */
export const THIS_MACHINE = "localhost";
