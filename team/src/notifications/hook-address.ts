import { Resolver } from "node:dns/promises";
import { isIP, BlockList, isIPv4, isIPv6 } from "node:net";
/** Hosts that the operator allows by name, regardless of their addresses: `host` or `host:port`. */
export type AllowedHosts = readonly string[];

export type HookRules = {
  readonly allowed: AllowedHosts;
  /** Resolves all other hosts. */
  readonly resolver: Resolver;
};

/** Allowed target of a request. `addresses` is null if the operator allowed the host by name. */
export type CheckedHook = { readonly url: URL; readonly addresses: readonly string[] | null };

export class HookRefused extends Error {}

/**
 * Creates a resolver that queries name servers directly, without the thread pool for files and other connections. A
 * slow name server delays nothing else.
 */
export const newResolver = (): Resolver => new Resolver({ timeout: 2000, tries: 2 });

/** Checks a URL without resolving its host. @throws HookRefused */
export function readHook(text: string, allowed: AllowedHosts): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new HookRefused("it is not a web address");
  if (url.username !== "" || url.password !== "") throw new HookRefused("it has a name or a password in it");
  url.hash = "";
  if (isAllowed(url, allowed)) return url;
  if (url.protocol !== "https:") throw new HookRefused("it does not start with https://");
  const literal = parseLiteral(url);
  if (literal !== null && !isPublicAddress(literal)) throw new HookRefused(NOT_PUBLIC);
  return url;
}

/**
 * Resolves a host and requires all its addresses to be public. Skips this for allowed hosts. @throws HookRefused, and
 * errors of the resolver
 */
export async function checkHook(text: string, { allowed, resolver }: HookRules): Promise<CheckedHook> {
  const url = readHook(text, allowed);
  if (isAllowed(url, allowed)) return { url, addresses: null };
  const literal = parseLiteral(url);
  const addresses = literal === null ? await resolved(url.hostname, resolver) : [literal];
  if (!addresses.every(isPublicAddress)) throw new HookRefused(NOT_PUBLIC);
  return { url, addresses };
}

const NOT_PUBLIC = "its address is not on the public internet";

const isAllowed = ({ hostname, host }: URL, allowed: AllowedHosts): boolean =>
  allowed.includes(hostname) || allowed.includes(host);

/**
 * Returns the address if the host is a literal IP. The URL parser has already normalized decimal, octal and
 * hexadecimal forms.
 */
function parseLiteral({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) === 0 ? null : bare;
}

async function resolved(host: string, resolver: Resolver): Promise<readonly string[]> {
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const [first] = found;
  if (addresses.length === 0) throw first.status === "rejected" ? first.reason : new Error("it has no address");
  return addresses;
}

/**
 * IPv4 ranges outside the public internet: this machine, private and local networks, shared, reserved and multicast
 * addresses.
 */
const NOT_PUBLIC_V4: readonly (readonly [net: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Special-purpose ranges within public IPv6: tunnels to IPv4 addresses, documentation and others. */
const NOT_PUBLIC_V6: readonly (readonly [net: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const refused = new BlockList();
for (const [net, prefix] of NOT_PUBLIC_V4) refused.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of NOT_PUBLIC_V6) refused.addSubnet(net, prefix, "ipv6");
const unicast = new BlockList();
unicast.addSubnet("2000::", 3, "ipv6");

/** Returns true if an address is reachable from the public internet. Unknown forms count as not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, "ipv4");
  return isIPv6(address) && unicast.check(address, "ipv6") && !refused.check(address, "ipv6");
}
