import { WORKER_LEVEL } from '#lib/contracts/worker-level';
import type { Pool } from '#lib/db/connection/pool';
import { busyLanes, type BusyLane } from '#lib/db/engine/busy-lanes';
import { leaveFleet, MAX_SILENCE_S, pulse, type LiveWorker } from '#lib/db/engine/live-workers';
import { serversOf, slotsOfServer } from '../control/window.js';
import { countBefore } from './rendezvous.js';

/** A busy lane, and what this process has to do with it. */
export interface LaneShare {
  /** With the levels that this process serves. */
  lane: BusyLane;
  /** Items of it that this process works on at a time; 0: it leaves the lane to others. */
  slots: number;
  /** Whether this process looks after the lane: dispatches and reconciles it. */
  isOwner: boolean;
}

/** The steps of the control loop whose idle turns one worker takes for all. */
export const OWNED_STEPS = ['finish', 'refresh', 'against', 'prepare', 'rescore', 'orchestrate', 'count'] as const;
export type OwnedStep = (typeof OWNED_STEPS)[number];

/** How many workers take turns of a step when its owner asks for help. */
const HELPERS = 8;
/** How many workers look at a lane that has just got work. */
const NEIGHBOURS = 4;

/**
 * The live workers as this process knows them, and what falls to it: each step of the control loop and each lane has
 * one owner among them, and each lane has as many servers as it has use for. So what a fleet costs Postgres and Redis
 * grows with its work and not with its workers.
 *
 * All of this is a hint. Two workers with different views both do a step, or none does for a moment: locks, leases and
 * tokens in Postgres keep the first harmless, and whatever nobody has served for some seconds is everybody's.
 */
export class Fleet {
  #me: LiveWorker;
  /** The live workers, this one included. Empty until the first look: nothing falls to a process that knows nobody. */
  #workers: LiveWorker[] = [];
  #lanes: (BusyLane & { idleS: number | null })[] = [];
  #stepIdleS: Record<string, number> = {};
  /**
   * Since when this process knows of each step and busy lane: one that has just begun was never served. It knows none
   * after a look that failed or came late: while Postgres was away nobody served anything.
   */
  readonly #knownSince = new Map<string, number>();
  readonly #served = new Set<string>();
  #lookedAt = -Infinity;
  #looking: Promise<void> = Promise.resolve();
  #hasLeft = false;

  constructor(
    readonly deps: {
      pool: Pool;
      workerId: string;
      /** Whether this process reaches Redis. */
      hasRedis: () => Promise<boolean>;
      /** A monotonic clock, in milliseconds. */
      now?: () => number;
    },
  ) {
    this.#me = { id: deps.workerId, level: WORKER_LEVEL, hasRedis: true };
  }

  /** The number of live workers. */
  get size(): number {
    return Math.max(1, this.#workers.length);
  }

  /**
   * Reads who is alive and which lanes have work, and tells the others of this process. When that fails, the last view
   * stays.
   */
  async look(): Promise<void> {
    if (this.#hasLeft) return;
    this.#looking = this.#look();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { pool, hasRedis } = this.deps;
    const served = [...this.#served];
    const steps = OWNED_STEPS.map(keyOfStep);
    this.#me = { ...this.#me, hasRedis: await hasRedis() };
    try {
      const { level, others, idleS } = await pulse(pool, this.#me, served, steps);
      this.#me = { ...this.#me, level };
      for (const key of served) this.#served.delete(key);
      this.#workers = [this.#me, ...others];
      this.#stepIdleS = idleS;
      this.#lanes = await busyLanes(pool);
    } catch (error) {
      this.#knownSince.clear();
      throw error;
    }
    if (this.#now() - this.#lookedAt > MAX_SILENCE_S * 1000) this.#knownSince.clear();
    this.#lookedAt = this.#now();
    this.#noteKnown([...steps, ...this.#lanes.map(({ id }) => keyOfLane(id))]);
  }

  /** Tells the others that this process takes no more work. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#looking.catch(() => {}); // It would bring the process back.
    await leaveFleet(this.deps.pool, this.#me.id);
  }

  #noteKnown(keys: readonly string[]): void {
    const current = new Set(keys);
    for (const key of this.#knownSince.keys()) if (!current.has(key)) this.#knownSince.delete(key);
    for (const key of keys) if (!this.#knownSince.has(key)) this.#knownSince.set(key, this.#now());
  }

  #now(): number {
    return this.deps.now?.() ?? performance.now();
  }

  /** Whether this process takes the idle turns of a step. */
  ownsStep(name: OwnedStep): boolean {
    const key = keyOfStep(name);
    return this.#rank(key, latest(this.#workers)) === 0 || this.#isUnserved(key, this.#stepIdleS[key] ?? null);
  }

  /** Whether this process takes a turn of a step whose owner has more to do than it can. */
  helpsWith(name: OwnedStep): boolean {
    return this.#rank(keyOfStep(name), this.#workers) < HELPERS;
  }

  /** Whether this process looks at a lane that has just got work. */
  isNear(laneId: string): boolean {
    return this.#rank(keyOfLane(laneId), reachingRedis(this.#workers)) < NEIGHBOURS;
  }

  /** Notes that this process has served a step. The others read it after the next look. */
  hasServedStep(name: OwnedStep): void {
    this.#served.add(keyOfStep(name));
  }

  hasServedLane(laneId: string): void {
    this.#served.add(keyOfLane(laneId));
  }

  /** What this process has to do with each lane that was busy at the last look. */
  shares(): LaneShare[] {
    const able = reachingRedis(this.#workers);
    const owners = latest(able);
    return this.#lanes.map((lane) => {
      const key = keyOfLane(lane.id);
      // While Redis is away nobody serves a lane, and owners alone see to what can be done.
      const isUnserved = this.#me.hasRedis && this.#isUnserved(key, lane.idleS);
      return { ...shareOf(lane, able, this.#me, isUnserved), isOwner: isUnserved || this.#rank(key, owners) === 0 };
    });
  }

  /** What this process serves of a lane. */
  shareOf(lane: BusyLane): Omit<LaneShare, 'isOwner'> {
    return shareOf(lane, reachingRedis(this.#workers), this.#me, false);
  }

  #rank(key: string, candidates: readonly LiveWorker[]): number {
    return rankOf(key, this.#me, candidates);
  }

  /** Nobody has served it for as long as a worker may be silent, although this process knew of it. */
  #isUnserved(key: string, idleS: number | null): boolean {
    const knownS = (this.#now() - (this.#knownSince.get(key) ?? Infinity)) / 1000;
    return knownS > MAX_SILENCE_S && (idleS === null || idleS > MAX_SILENCE_S);
  }
}

/** The share of `me` among those that are able: the levels for which it is one of the first, and its slots for them. */
function shareOf(
  lane: BusyLane,
  able: readonly LiveWorker[],
  me: LiveWorker,
  isUnserved: boolean,
): Omit<LaneShare, 'isOwner'> {
  const levels: number[] = [];
  let slots = 0;
  for (const level of lane.levels) {
    const workers = able.filter((worker) => worker.level >= level);
    const servers = serversOf(lane, workers.length);
    if (!isUnserved && rankOf(keyOfLane(lane.id), me, workers) >= servers) continue;
    levels.push(level);
    slots = Math.max(slots, slotsOfServer(lane, servers));
  }
  return { lane: { ...lane, levels }, slots };
}

/** The rank of a worker for a key; Infinity when it is not among them. */
const rankOf = (key: string, me: LiveWorker, candidates: readonly LiveWorker[]): number =>
  candidates.includes(me) ? countBefore(key, me.id, candidates) : Infinity;

/** The workers of the highest level: only they see all work. */
function latest(workers: readonly LiveWorker[]): LiveWorker[] {
  const highest = Math.max(...workers.map(({ level }) => level));
  return workers.filter(({ level }) => level === highest);
}

/** The workers that reach Redis. While none does, all are alike. */
function reachingRedis(workers: readonly LiveWorker[]): readonly LiveWorker[] {
  const able = workers.filter(({ hasRedis }) => hasRedis);
  return able.length > 0 ? able : workers;
}

const keyOfStep = (name: OwnedStep): string => `step ${name}`;
const keyOfLane = (laneId: string): string => `lane ${laneId}`;
