import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * IANA's special ranges: this machine, private, shared and link-local networks, tests, multicast, and reserved ones.
 */
const SPECIAL_4 = [
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
] as const;

/** Special ranges inside the only public one. Some of them contain an IPv4 address, which might be any. */
const SPECIAL_6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special4 = new BlockList();
for (const [net, bits] of SPECIAL_4) special4.addSubnet(net, bits, "ipv4");
const special6 = new BlockList();
for (const [net, bits] of SPECIAL_6) special6.addSubnet(net, bits, "ipv6");
const public6 = new BlockList();
public6.addSubnet("2000::", 3, "ipv6");

/** True for an address of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, "ipv4");
  const plain = address.split("%", 1)[0] ?? "";
  if (!isIPv6(plain) || plain !== address) return false;
  return public6.check(plain, "ipv6") && !special6.check(plain, "ipv6");
}
