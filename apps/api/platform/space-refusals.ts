import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallerRequest } from './decorators.js';

const MIN_GAP_MS = 20;
const MOST_MS = 5000;
const MOST_TEAMS = 10_000;

/**
 * Limits refusals (429) to fifty a second per team. Clients that retry at once, whatever `Retry-After` says, would keep
 * the event loop busy with refusals; so the more of them there are, the longer each one waits. A single refusal is sent
 * at once.
 */
export function spaceRefusals(fastify: FastifyInstance): void {
  const nextOf = new LRUCache<string, number>({ max: MOST_TEAMS });
  fastify.addHook('onSend', async ({ caller }: CallerRequest, reply) => {
    if (reply.statusCode !== 429 || !caller) return;
    const nowMs = performance.now();
    const atMs = Math.min(Math.max(nowMs, nextOf.get(caller.teamId) ?? 0), nowMs + MOST_MS);
    nextOf.set(caller.teamId, atMs + MIN_GAP_MS);
    if (atMs > nowMs) await delay(atMs - nowMs);
  });
}
