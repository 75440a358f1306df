import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;
/** A link that lies around is worth nothing. */
const LINK_MILLISECONDS = 10 * 60_000;

export type Sessions = {
  /** A new secret for a link: good for one browser, and for a short time. */
  createSecret(): string;
  /**
   * The session for a secret; null for one that is not known, too old, or used before. `own`: the session that the
   * browser has; it keeps it, and may open its link again.
   */
  exchange(secret: string, own?: string | null): string | null;
  isOpen(session: string): boolean;
};

type Link = { readonly digest: Buffer; readonly madeAt: number; session: Buffer | null };

/**
 * Who may speak to the page's server. Nothing of it is ever written down. Whoever uses a link a second time ends the
 * session that the first use began: of two, one stole it, and nobody can tell which.
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

const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** Of equal length whatever was sent, so that comparing takes the same time. */
const digestSecret = (text: string): Buffer => createHash("sha256").update(text).digest();
