import { Inject, Injectable } from '@nestjs/common';
import { findCaller, findCallers, type Caller, type Credential } from '#lib/db/catalogue/callers';
import { keepSession } from '#lib/db/catalogue/sessions';
import type { Pool } from '#lib/db/connection/pool';
import { MicroBatcher } from '#lib/runtime/micro-batch';
import { CallerLimits, type Asked } from './caller-limits.js';
import { refusalOf } from './refusal.js';
import { sourceOf } from './request-source.js';
import { POOL } from './stores.js';
import { TokenUses } from './token-uses.js';

/** How long a revoked token, or a session that has ended, can still read. It cannot change anything. */
const REMEMBER_MS = 3000;
const MAX_REMEMBERED = 1000;
const BATCH = { waitMs: 5, maxSize: 200, concurrency: 1 };

/** Finds the callers of credentials, and refuses what has none. Those of the last seconds are remembered. */
@Injectable()
export class KnownCallers {
  readonly #callers = new Map<string, { caller: Caller; untilMs: number }>();
  readonly #tokenUses: TokenUses;
  /** For addresses that guess: their wrong tokens take one statement at a time. */
  readonly #batches: Record<Credential['kind'], MicroBatcher<Credential, Caller | undefined>>;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly limits: CallerLimits,
  ) {
    this.#tokenUses = new TokenUses(pool);
    const batchOf = (kind: Credential['kind']) =>
      new MicroBatcher<Credential, Caller | undefined>((batch) => findCallers(pool, kind, batch), BATCH);
    this.#batches = { token: batchOf('token'), session: batchOf('session') };
  }

  /** @throws ProblemError as `findAnew` */
  async find(credential: Credential, request: Asked): Promise<Caller> {
    const remembered = this.#callers.get(keyOf(credential));
    return remembered && remembered.untilMs > Date.now() ? remembered.caller : this.findAnew(credential, request);
  }

  /** @throws ProblemError 401, 429 for many wrong ones of an address, or 403 for a team that the user is not in */
  async findAnew(credential: Credential, request: Asked): Promise<Caller> {
    const caller = await this.lookUp(credential, request);
    if (!caller) {
      this.#callers.delete(keyOf(credential));
      const unknown = { ...credential, team: undefined };
      // A right session that asks for another team is not a wrong credential.
      if (credential.team !== undefined && (await this.lookUp(unknown, request)))
        throw await refusalOf(this.pool, credential);
      const refusal = await this.limits.failed(request, () => refusalOf(this.pool, unknown));
      // A page whose session has ended has to ask its person to sign in, whatever others at the address do.
      throw credential.kind === 'session' ? await refusalOf(this.pool, unknown) : refusal;
    }
    if (credential.kind === 'session') await keepSession(this.pool, credential.secret, sourceOf(request.raw));
    else this.#tokenUses.note({ tokenId: caller.tokenId!, ...sourceOf(request.raw) });
    if (this.#callers.size > MAX_REMEMBERED) this.#callers.clear();
    this.#callers.set(keyOf(credential), { caller, untilMs: Date.now() + REMEMBER_MS });
    return caller;
  }

  /** The caller of a credential, from Postgres; undefined if there is none. */
  lookUp(credential: Credential, request: Asked): Promise<Caller | undefined> {
    return this.limits.isBeyond(request)
      ? this.#batches[credential.kind].add(credential)
      : findCaller(this.pool, credential);
  }
}

const keyOf = ({ kind, secret, team = '' }: Credential): string => `${kind} ${team} ${secret}`;
