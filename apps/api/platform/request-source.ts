import type { IncomingMessage } from 'node:http';

/** Where a request comes from, in words for a list of sessions and tokens. */
export interface RequestSource {
  /** The address of the connection; behind a proxy, that of the proxy. */
  address: string | null;
  /** A browser, such as "Firefox on Linux", or the name of a program. */
  agent: string | null;
}

const MAX_ADDRESS = 45;
/** More of the header is not read. */
const MAX_HEADER = 300;
/** In this order: browsers also name those that they are like. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: [mark: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export const sourceOf = ({ socket, headers }: IncomingMessage): RequestSource => ({
  address: socket.remoteAddress?.replace(/^::ffff:/, '').slice(0, MAX_ADDRESS) ?? null,
  agent: agentOf((headers['user-agent'] ?? '').slice(0, MAX_HEADER)),
});

function agentOf(header: string): string | null {
  const browser = nameIn(BROWSERS, header);
  const system = nameIn(SYSTEMS, header);
  if (browser) return system ? `${browser} on ${system}` : browser;
  return /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/.exec(header)?.[0] ?? null;
}

const nameIn = (marks: typeof BROWSERS, header: string): string | undefined =>
  marks.find(([mark]) => mark.test(header))?.[1];
