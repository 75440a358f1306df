import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SESSION_SECRET_BYTES = 32;
/** Links expire, to be worthless if found later. */
const LINK_MILLISECONDS = 10 * 60_000;

export type Sessions = {
  /** Creates a secret for a link, valid for one browser and a short time. */
  createSecret(): string;
  /**
   * Returns the session for a secret, or null if the secret is unknown, expired, or was used before. `own`: session of
   * this browser, if any. It keeps this session and may open its link again.
   */
  exchange(secret: string, own?: string | null): string | null;
  isOpen(session: string): boolean;
};

type Link = { readonly digest: Buffer; readonly madeAt: number; session: Buffer | null };

/**
 * Manages the sessions of the server, only in memory. If a link is used a second time, the session from its first use
 * ends: either the first or the second user stole the link, and the server cannot know which.
 */
export function createSessions(now: () => number, onStolen: () => void): Sessions {
  const links: Link[] = [];
  const open: Buffer[] = [];
  const end = (session: Buffer): void => {
    const at = open.findIndex((known) => known.equals(session));
    if (at !== -1) open.splice(at, 1);
  };
  const isOpen = (session: string): boolean => open.some((known) => timingSafeEqual(known, digestSecret(session)));
  return {
    createSecret() {
      const secret = newSecret();
      links.push({ digest: digestSecret(secret), madeAt: now(), session: null });
      return secret;
    },
    exchange(secret, own = null) {
      const link = find(links, secret);
      const known = own !== null && isOpen(own) ? digestSecret(own) : null;
      if (link === undefined || now() - link.madeAt > LINK_MILLISECONDS) return null;
      if (known !== null && (link.session === null || timingSafeEqual(link.session, known))) {
        link.session = known;
        return own;
      }
      if (link.session !== null) {
        end(link.session);
        onStolen();
        return null;
      }
      const session = newSecret();
      link.session = digestSecret(session);
      open.push(link.session);
      return session;
    },
    isOpen,
  };
}

const find = (links: readonly Link[], secret: string): Link | undefined =>
  links.find(({ digest }) => timingSafeEqual(digest, digestSecret(secret)));

const newSecret = (): string => randomBytes(SESSION_SECRET_BYTES).toString("base64url");

/** Returns digests of equal length, to compare in constant time. */
const digestSecret = (text: string): Buffer => createHash("sha256").update(text).digest();
