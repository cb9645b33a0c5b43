import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallerRequest } from './decorators.js';
import { addressOf } from './trusted-proxies.js';

const MIN_GAP_MS = 20;
const MOST_MS = 5000;
const MOST_REMEMBERED = 10_000;

/**
 * Limits refusals (429) to fifty a second per team, and per address without one. Clients that retry at once, whatever
 * `Retry-After` says, would keep the event loop busy with refusals; so the more of them there are, the longer each one
 * waits. A single refusal is sent at once.
 */
export function spaceRefusals(fastify: FastifyInstance): void {
  const nextOf = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  fastify.addHook('onSend', async ({ caller, raw }: CallerRequest, reply) => {
    if (reply.statusCode !== 429) return;
    const of = caller?.teamId ?? addressOf(raw) ?? '';
    const nowMs = performance.now();
    const atMs = Math.min(Math.max(nowMs, nextOf.get(of) ?? 0), nowMs + MOST_MS);
    nextOf.set(of, atMs + MIN_GAP_MS);
    if (atMs > nowMs) await delay(atMs - nowMs);
  });
}
