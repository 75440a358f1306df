/** What a browser binds a passkey to: the host of the page it was made at, whatever the port. */
export const relyingPartyId = (origin: string): string => new URL(origin).hostname;

/** Of pages that are served on the person's own machine. */
export const THIS_MACHINE = "localhost";

/** Browsers use passkeys over TLS, and on their own machine without it. */
export function isRelyingPartyPage(relyingParty: string, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: canonical } = new URL(origin);
  const isSafe = protocol === "https:" || (protocol === "http:" && hostname === THIS_MACHINE);
  return isSafe && hostname === relyingParty && canonical === origin;
}
