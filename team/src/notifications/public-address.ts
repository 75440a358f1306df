import { BlockList, isIPv4, isIPv6 } from "node:net";

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
