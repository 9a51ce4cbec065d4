import { BlockList, isIPv4 } from 'node:net'

/**
 * Whether an IP address belongs to a machine on the public internet. An IPv6 address is public only if it is in a
 * publicly allocated range and not in an exception, so ranges allocated later do not count. IPv4 is fully allocated, so
 * only its exceptions are listed. Returns false for an address with a zone, and for text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL.check(address, 'ipv4')
  return GIVEN_OUT_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6')
}

/** IANA's registry of special-purpose addresses, multicast and reserved ranges. */
const SPECIAL_IPV4: [network: string, bits: number][] = [
  ['0.0.0.0', 8], // this network; many systems treat it as loopback
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // addresses behind a carrier's address translation
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // looks public, but is the address of the host's own services on every machine in Azure
  ['169.254.0.0', 16], // link-local; clouds give out a machine's credentials here
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // answered by the nearest name server (AS112)
  ['192.52.193.0', 24], // multicast tunnels (AMT)
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // answered by the nearest name server (AS112)
  ['198.18.0.0', 15], // network benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

/** Exceptions within the allocated IPv6 ranges. */
const SPECIAL_IPV6: [network: string, bits: number][] = [
  ['2001::', 23], // protocol assignments, including Teredo, whose addresses contain an IPv4 address
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, whose addresses contain an IPv4 address
  ['2620:4f:8000::', 48], // answered by the nearest name server (AS112)
  ['3fff::', 20], // documentation
]

/** The range of NAT64. A machine that has only IPv6 reaches every IPv4 host through this range. */
const NAT64 = '64:ff9b::'
const NAT64_BITS = 96

const GIVEN_OUT_IPV6 = new BlockList()
GIVEN_OUT_IPV6.addSubnet('2000::', 3, 'ipv6')
GIVEN_OUT_IPV6.addSubnet(NAT64, NAT64_BITS, 'ipv6')

const SPECIAL = new BlockList()
for (const [network, bits] of SPECIAL_IPV6) SPECIAL.addSubnet(network, bits, 'ipv6')
for (const [network, bits] of SPECIAL_IPV4) {
  SPECIAL.addSubnet(network, bits, 'ipv4')
  SPECIAL.addSubnet(NAT64 + network, NAT64_BITS + bits, 'ipv6')
}
