import { BlockList, isIP } from 'node:net';

const listOf = (ranges: readonly (readonly [address: string, prefix: number])[]): BlockList => {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
};

const PRIVATE = listOf([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]);

/**
 * Link-local addresses, and those where clouds expose credentials to their machines. They never host a model or MCP
 * server.
 */
const NEVER = listOf([
  ['169.254.0.0', 16], // link-local; metadata of AWS, Google, Azure and others
  ['fe80::', 10],
  ['fd00:ec2::', 32], // AWS, and its pods' credentials
  ['fd00:42::42', 128], // Scaleway
  ['fd20:ce::254', 128], // Google
  ['100.100.100.200', 32], // Alibaba
  ['192.0.0.192', 32], // Oracle
  ['168.63.129.16', 32], // Azure's WireServer
]);

/** Whether an address is private, loopback, link-local, multicast or unspecified, in any spelling. */
export const isPrivateAddress = (address: string): boolean => isIn(PRIVATE, address) || isNeverAllowed(address);

/** Whether an address is blocked for everyone, whatever an operator allows. */
export const isNeverAllowed = (address: string): boolean => isIn(NEVER, address);

function isIn(list: BlockList, address: string): boolean {
  const plain = address.split('%', 1)[0]!; // fe80::1%eth0
  const family = isIP(plain);
  if (family === 4) return list.check(plain, 'ipv4');
  return family === 6 && (list.check(plain, 'ipv6') || ipv4In(plain).some((inner) => list.check(inner, 'ipv4')));
}

/** The IPv4 addresses embedded in an IPv6 address, by any embedding scheme. */
function ipv4In(address: string): string[] {
  const groups = groupsOf(address);
  const ipv4 = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const last = ipv4(groups[6]!, groups[7]!);
  const startsWith = (...start: number[]): boolean => start.every((group, place) => groups[place] === group);
  const found: string[] = [];
  const isMapped = startsWith(0, 0, 0, 0, 0) && [0, 0xffff].includes(groups[5]!);
  if (isMapped) found.push(last); // compatible or mapped
  if (startsWith(0, 0, 0, 0, 0xffff, 0)) found.push(last); // translated, RFC 2765
  if (startsWith(0x64, 0xff9b)) {
    found.push(last); // NAT64, RFC 6052, with a prefix of 96 bits and of 48
    found.push(ipv4(groups[3]!, ((groups[4]! & 255) << 8) | (groups[5]! >> 8)));
  }
  if (startsWith(0x2002)) found.push(ipv4(groups[1]!, groups[2]!)); // 6to4, RFC 3056
  if (startsWith(0x2001, 0)) found.push(ipv4(groups[6]! ^ 0xffff, groups[7]! ^ 0xffff)); // Teredo, RFC 4380
  return found;
}

/** The eight groups of an IPv6 address. `URL` normalises every spelling. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const [first, rest] = [numbers(head), numbers(tail ?? '')];
  return [...first, ...new Array<number>(8 - first.length - rest.length).fill(0), ...rest];
}
