import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { RequestFacts } from '#lib/db/catalogue/callers';
import type { UsedFrom } from '#lib/db/catalogue/sessions';
import { addressOf } from './trusted-proxies.js';

/** More of the header is not read. */
const MAX_HEADER = 300;
/** In this order: browsers also name those that they are like. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS)\//, 'Chrome'],
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

/** Where a request comes from: its address, and a browser such as "Firefox on Linux", or the name of a program. */
export const sourceOf = (request: IncomingMessage): UsedFrom => ({
  address: addressOf(request),
  agent: agentOf((request.headers['user-agent'] ?? '').slice(0, MAX_HEADER)),
});

/** What the audit says about a request. */
export const factsOf = ({ id, raw }: FastifyRequest): RequestFacts => ({ id, address: sourceOf(raw).address });

function agentOf(header: string): string | null {
  const browser = nameIn(BROWSERS, header);
  const system = nameIn(SYSTEMS, header);
  if (browser) return system ? `${browser} on ${system}` : browser;
  return /^[\w.+-]{1,40}(?:\/[\w.+-]{1,20})?/.exec(header)?.[0] ?? null;
}

const nameIn = (marks: typeof BROWSERS, header: string): string | undefined =>
  marks.find(([mark]) => mark.test(header))?.[1];
