import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center}
main{max-width:30rem;padding:1.5rem}h1{font-size:1.25rem}`;

/** No script, and nothing from anywhere. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageContent {
  title: string;
  sentences: string[];
  /** The way on. */
  link: { path: string; text: string };
  /** Whether the link is followed at once. */
  opens?: boolean;
}

/**
 * A page that a navigation from a provider ends in. The session's cookie is `Strict`, so the browser sends it only when
 * a page of ours opens the next one: a redirect would still count as a navigation of the provider's.
 */
export function sendPage(reply: FastifyReply, status: number, content: PageContent): void {
  void reply
    .status(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
    })
    .send(pageOf(content));
}

function pageOf({ title, sentences, link, opens = false }: PageContent): string {
  const path = escapeHtml(link.path);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    opens ? `<meta http-equiv="refresh" content="0; url=${path}">` : '',
    `<title>${escapeHtml(title)} · Toolmark</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${escapeHtml(title)}</h1>`,
    ...sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`),
    `<p><a href="${path}">${escapeHtml(link.text)}</a></p></main></body></html>`,
  ].join('');
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
