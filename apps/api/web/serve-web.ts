import { NotFoundException } from '@nestjs/common';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sendProblem, toProblem } from '../platform/problem.filter.js';

const ASSET_MAX_AGE = '365d';
const NONCE_BYTES = 16;
/** The placeholder in the built page. */
const NONCE = '__NONCE__';
/** Paths of the API. An unknown one of them returns a problem document, never the page. */
const API_PATHS = /^\/(api|socket\.io|assets|guide|metrics|docs|openapi\.json|healthz|readyz)(\/|\?|$)/;

const NOT_BUILT = 'Toolmark is running without its pages. Build them with: npm run build\n';

/** `dist/web`, relative to the sources or to the build output. */
const builtFolder = (): string | undefined =>
  ['../../../web', '../../../dist/web']
    .map((path) => join(dirname(fileURLToPath(import.meta.url)), path))
    .find((folder) => existsSync(join(folder, 'index.html')));

/**
 * Serves the page at every path that is not the API's. It may load scripts, styles and data only from here, and run no
 * text as a script, because it displays what models and providers write.
 */
export async function serveWeb(fastify: FastifyInstance): Promise<void> {
  const folder = builtFolder();
  if (folder)
    await fastify.register(fastifyStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      immutable: true,
      maxAge: ASSET_MAX_AGE,
      preCompressed: true,
      decorateReply: false,
      index: false,
    });
  if (folder)
    await fastify.register(fastifyStatic, {
      root: join(folder, 'guide'),
      prefix: '/guide/',
      decorateReply: false,
      index: 'README.html',
      setHeaders: (reply) => void reply.header('content-security-policy', GUIDE_POLICY),
    });
  let page: readonly string[] = [];
  // Read for each view: `npm run dev` rebuilds the page under the API. While a build swaps it, the last one is kept.
  const readPage = (built: string): void => {
    try {
      page = readFileSync(join(built, 'index.html'), 'utf8').split(NONCE);
    } catch (error) {
      if (page.length === 0) throw error;
    }
  };
  if (folder) readPage(folder);
  fastify.get('/*', (request, reply) => {
    if (API_PATHS.test(request.url))
      return sendProblem(reply, toProblem(new NotFoundException(`Cannot ${request.method} ${request.url}`)));
    if (!folder) return void reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
    readPage(folder);
    sendPage(reply, page);
  });
}

function sendPage(reply: FastifyReply, page: readonly string[]): void {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  void reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy(nonce),
    })
    .send(page.join(nonce));
}

/** The guide is text alone. */
const GUIDE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
