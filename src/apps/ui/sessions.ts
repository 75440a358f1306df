import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;
/** A link that lies around is worth nothing. */
const LINK_MILLISECONDS = 10 * 60_000;

export type Sessions = {
  /** A new secret for a link: good for one browser, and for a short time. */
  createSecret(): string;
  /** The session for a secret; null for one that is not known, too old, or used before. */
  exchange(secret: string): string | null;
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
    const at = open.indexOf(session);
    if (at !== -1) open.splice(at, 1);
  };
  return {
    createSecret() {
      const secret = newSecret();
      links.push({ digest: digestOf(secret), madeAt: now(), session: null });
      return secret;
    },
    exchange(secret) {
      const link = find(links, secret);
      if (link === undefined || now() - link.madeAt > LINK_MILLISECONDS) return null;
      if (link.session !== null) {
        end(link.session);
        onStolen();
        return null;
      }
      const session = newSecret();
      link.session = digestOf(session);
      open.push(link.session);
      return session;
    },
    isOpen: (session) => open.some((known) => timingSafeEqual(known, digestOf(session))),
  };
}

const find = (links: readonly Link[], secret: string): Link | undefined =>
  links.find(({ digest }) => timingSafeEqual(digest, digestOf(secret)));

const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** Of equal length whatever was sent, so that comparing takes the same time. */
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
