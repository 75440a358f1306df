/** Returns the host of a page, without the port. Browsers bind a passkey to this name. */
export const relyingPartyId = (origin: string): string => new URL(origin).hostname;

/** Host of pages that are served on the user's own machine. */
export const THIS_MACHINE = "localhost";

/** Returns true for a page of this host over TLS, or without TLS on `localhost`, where browsers allow passkeys. */
export function isRelyingPartyPage(relyingParty: string, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: canonical } = new URL(origin);
  const isSafe = protocol === "https:" || (protocol === "http:" && hostname === THIS_MACHINE);
  return isSafe && hostname === relyingParty && canonical === origin;
}
