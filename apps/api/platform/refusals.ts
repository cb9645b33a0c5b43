import { normalizeIP } from '@fastify/rate-limit';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isIPv6 } from 'node:net';
import { ProblemError } from '#lib/contracts/input/problem';
import type { ProblemCode } from '#lib/contracts/problem-codes';
import type { Caller } from '#lib/db/catalogue/callers';
import { countRefusals, type CountedRefusals, type RefusalAction } from '#lib/db/catalogue/refusals';
import type { Pool } from '#lib/db/connection/pool';
import { idOfKey } from '#lib/runtime/ids';
import type { Logger } from '#lib/runtime/logger';
import { credentialOf } from './credentials.js';
import { routeOptions, type CallerRequest } from './decorators.js';
import { RefusedCredential } from './refusal.js';
import { factsOf } from './request-source.js';
import { LOGGER, POOL } from './stores.js';

const MINUTE_MS = 60_000;
const FLUSH_MS = 2000;
/** Rows that one caller, or one address without a caller, makes in a minute. */
const MAX_OF_ONE = 10;
/** Rows that a process makes in a minute, and those of one team, or of nobody, among them. */
const MAX_A_MINUTE = 1000;
const MAX_OF_A_TEAM = MAX_A_MINUTE / 5;
/** Rows that wait for Postgres. */
const MAX_WAITING = 5000;
const ROWS_AT_ONCE = 500;
const OTHERS = 'others';

/** What was refused to whom. */
export interface Refusal {
  action: RefusalAction;
  /** The route, or what else was asked for. */
  subject: string;
  caller?: Partial<Pick<Caller, 'teamId' | 'userId' | 'tokenId' | 'sessionId'>> | undefined;
  request: { id: string | null; address: string | null };
}

/**
 * Counts refusals for the audit, by minute and caller. No request waits for that, and nobody can make the audit grow by
 * more than `MAX_OF_ONE` rows a minute, nor a team by more than `MAX_OF_A_TEAM`, nor all together by more than
 * `MAX_A_MINUTE` rows a minute and process: what goes beyond counts in one row of the team. While Postgres is away,
 * refusals wait in memory.
 */
@Injectable()
export class Refusals {
  #minuteMs = 0;
  #keys = new Set<string>();
  #rowsOf = new Map<string, number>();
  #waiting = new Map<string, CountedRefusals>();
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(LOGGER) readonly logger: Logger,
  ) {}

  note(refusal: Refusal): void {
    const minuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    if (minuteMs !== this.#minuteMs) {
      this.#minuteMs = minuteMs;
      this.#keys = new Set();
      this.#rowsOf = new Map();
    }
    this.#add(this.#within(refusal.caller ? refusal : withNetwork(refusal)));
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** The refusal, or what it counts under when there are too many different ones. */
  #within(refusal: Refusal): Refusal {
    if (this.#keys.has(keyOf(refusal))) return refusal;
    const [one, team] = [callerOf(refusal), `team ${refusal.caller?.teamId}`];
    const rowsOf = (whose: string): number => this.#rowsOf.get(whose) ?? 0;
    if (this.#keys.size >= MAX_A_MINUTE || rowsOf(team) >= MAX_OF_A_TEAM) return othersOfTeam(refusal);
    if (rowsOf(one) >= MAX_OF_ONE) return othersOf(refusal);
    this.#keys.add(keyOf(refusal));
    for (const whose of [one, team]) this.#rowsOf.set(whose, rowsOf(whose) + 1);
    return refusal;
  }

  #add(refusal: Refusal): void {
    const { action, subject, caller, request } = refusal;
    const id = idOfKey(this.#minuteMs, keyOf(refusal));
    const before = this.#waiting.get(id);
    if (!before && this.#waiting.size >= MAX_WAITING) return void this.#lost++;
    this.#waiting.set(id, {
      id,
      action,
      subject,
      at: new Date(this.#minuteMs),
      teamId: caller?.teamId ?? null,
      userId: caller?.userId ?? null,
      tokenId: caller?.tokenId ?? null,
      sessionId: caller?.sessionId ?? null,
      address: request.address,
      requestId: request.id,
      count: (before?.count ?? 0) + 1,
    });
  }

  /** Writes what waits; what cannot be written waits for the next time. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    const rows = [...this.#waiting.values()];
    this.#waiting = new Map();
    let written = 0;
    try {
      for (; written < rows.length; written += ROWS_AT_ONCE)
        await countRefusals(this.pool, rows.slice(written, written + ROWS_AT_ONCE));
      if (this.#lost) this.logger.warn({ refusals: this.#lost }, 'Refusals were not counted: Postgres was away');
      this.#lost = 0;
    } catch (error) {
      this.logger.debug({ error: (error as Error).message }, 'Refusals wait for Postgres');
      for (const row of rows.slice(written)) this.#keep(row);
    }
    this.#timer = this.#waiting.size ? setTimeout(() => void this.flush(), FLUSH_MS).unref() : undefined;
  }

  #keep(row: CountedRefusals): void {
    const since = this.#waiting.get(row.id);
    this.#waiting.set(row.id, since ? { ...since, count: row.count + since.count } : row);
  }
}

/** Whoever has an IPv6 network has all of its addresses. */
function withNetwork({ request, ...refusal }: Refusal): Refusal {
  const { address } = request;
  const network = address !== null && isIPv6(address) ? `${normalizeIP(address)}/64` : address;
  return { ...refusal, request: { ...request, address: network } };
}

/** What the refusals of one caller count under that are too many to be told apart. */
const othersOf = ({ caller, request }: Refusal): Refusal => ({
  action: 'refused.other',
  subject: OTHERS,
  caller: caller && { ...caller, sessionId: null },
  request: caller ? { ...request, address: null } : request,
});

/** The same of a team, or of nobody. */
const othersOfTeam = ({ caller, request: { id } }: Refusal): Refusal => ({
  action: 'refused.other',
  subject: OTHERS,
  caller: caller && { teamId: caller.teamId },
  request: { id, address: null },
});

const callerOf = ({ caller, request }: Refusal): string =>
  caller?.tokenId ?? caller?.userId ?? `address ${request.address}`;

const keyOf = ({ action, subject, caller, request }: Refusal): string =>
  JSON.stringify([
    action,
    subject,
    caller?.teamId,
    caller?.userId,
    caller?.tokenId,
    caller?.sessionId,
    request.address,
  ]);

/** Notes a problem of a request, if it refuses the caller. */
export function noteRefusal(refusals: Refusals, error: unknown, request: CallerRequest): void {
  const action = error instanceof ProblemError ? actionOf(error, request) : undefined;
  if (!action) return;
  const owner = error instanceof RefusedCredential ? error.owner : undefined;
  const caller = request.caller ?? owner;
  // Whoever has no right credential may ask for many routes: they are not told apart.
  const subject = caller || routeOptions(request).open ? routeOf(request) : OF_UNKNOWN;
  refusals.note({ action, subject, caller, request: request.caller?.request ?? factsOf(request) });
}

/** A route, without anything that was sent. */
export const routeOf = ({ method, routeOptions: { url } }: FastifyRequest): string => `${method} ${url ?? ''}`;
const OF_UNKNOWN = 'any route';

const ACTIONS: Partial<Record<ProblemCode, RefusalAction>> = {
  rate_limited: 'refused.rate',
  not_in_team: 'refused.team',
  token_reads_only: 'refused.token',
  token_limited: 'refused.token',
  token_suites: 'refused.token',
};

function actionOf({ status, code }: ProblemError, request: CallerRequest): RefusalAction | undefined {
  if (ACTIONS[code]) return ACTIONS[code];
  const { open } = routeOptions(request);
  // A person refused the login; nobody refused them.
  if (code === 'login_refused') return undefined;
  if (open || code === 'login_ended') return [401, 403, 404].includes(status) ? 'refused.sign_in' : undefined;
  if (status === 403) return 'refused.role';
  // A page that is not signed in yet asks without a credential.
  return status === 401 && credentialOf(request.raw) ? 'refused.credential' : undefined;
}
