import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';
import type { RequestFacts } from '#lib/db/catalogue/callers';
import { redeemInvitation } from '#lib/db/catalogue/invitations';
import { enterPerson, followRules, forgetPerson, type SignedInPerson } from '#lib/db/catalogue/sign-in';
import { beginSignInSession, refreshTokenContext, type BegunSession } from '#lib/db/catalogue/sign-in-sessions';
import { inTransaction, isContention, type Pool, type PoolClient } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { Sealer } from '#lib/runtime/seal';
import { factsOf, sourceOf } from '../platform/request-source.js';
import { ENV, POOL } from '../platform/stores.js';
import type { Identity } from './provider-client.js';
import { membershipsOf, type Claims } from './rules.js';
import type { SignInSettings } from './sign-in-file.js';

const MAX_NAME = 90;
const MAX_EMAIL = 320;
/** A unique name, or a person, that another process was faster to store. */
const TAKEN = '23505';
const ATTEMPTS = 3;
/** Another transaction may hold a row of the person or of a team for long: others wait for the connection. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '5s'`;

/** Who has come in. */
export interface Entered {
  /** Undefined: the person is in no team. */
  session: BegunSession | undefined;
  /** Why the invitation counts no more, or why a team that a rule names took nobody in. */
  problem: string | undefined;
}

interface Entering {
  settings: SignInSettings;
  identity: Identity;
  invitation: string | undefined;
  request: FastifyRequest;
}

/** Lets in whom a provider has signed in. */
@Injectable()
export class SignInService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
    readonly sealer: Sealer,
  ) {}

  /** Makes or finds the person, follows the rules, redeems the invitation and begins a session: all, or nothing. */
  enter(entering: Entering): Promise<Entered> {
    return this.#retry(() => inTransaction(this.pool, (client) => this.#enter(client, entering)));
  }

  async #enter(client: PoolClient, { settings, identity, invitation, request }: Entering): Promise<Entered> {
    await client.query(LOCK_TIMEOUT);
    const person = personOf(identity);
    const { personId, isNew } = await enterPerson(client, person);
    const facts = factsOf(request);
    const joiner = { personId, name: person.name, request: facts };
    const full = await followRules(client, joiner, membershipsOf(settings, identity.claims));
    const redeemed = invitation === undefined ? {} : await redeem(client, invitation, joiner);
    const session = await beginSignInSession(client, {
      personId,
      userId: redeemed.userId,
      provider: settings.id,
      providerSid: identity.sid,
      refreshToken: this.seal(identity.refreshToken, identity),
      ...sourceOf(request.raw),
      request: facts,
      days: this.env.TOOLMARK_SESSION_DAYS,
      idleHours: this.env.TOOLMARK_SESSION_IDLE_HOURS,
    });
    // Of whom nobody lets in, nothing is kept.
    if (!session && isNew) await forgetPerson(client, personId);
    return { session, problem: redeemed.problem ?? (session ? undefined : full[0]?.message) };
  }

  /** Brings the memberships of a person in line with claims that were read again, and stores what comes with them. */
  async reread(
    settings: SignInSettings,
    identity: Identity,
    store: (client: PoolClient) => Promise<void>,
  ): Promise<void> {
    await this.#retry(() =>
      inTransaction(this.pool, async (client) => {
        await client.query(LOCK_TIMEOUT);
        const person = personOf(identity);
        const { personId } = await enterPerson(client, person);
        await followRules(client, { personId, name: person.name }, membershipsOf(settings, identity.claims));
        await store(client);
      }),
    );
  }

  seal(refreshToken: string | undefined, person: Key): string | null {
    return refreshToken === undefined ? null : this.sealer.seal(refreshToken, refreshTokenContext(person));
  }

  open(refreshToken: string, person: Key): string {
    return this.sealer.open(refreshToken, refreshTokenContext(person));
  }

  async #retry<Made>(work: () => Promise<Made>): Promise<Made> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const isRetried = (error as { code?: string }).code === TAKEN || isContention(error);
        if (!isRetried || attempt === ATTEMPTS) throw error;
      }
    }
  }
}

type Key = Pick<Identity, 'issuer' | 'subject'>;

/** An invitation that has ended does not keep out who comes in anyway. */
async function redeem(
  client: PoolClient,
  secret: string,
  { request, ...joiner }: { personId: string; name: string; request: RequestFacts },
): Promise<{ userId?: string; problem?: string }> {
  await client.query('SAVEPOINT invitation');
  try {
    const { userId } = await redeemInvitation(client, { secret, ...joiner, by: { request } });
    await client.query('RELEASE SAVEPOINT invitation');
    return { userId };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT invitation');
    return { problem: error.message };
  }
}

/** What people read of a person; only issuer and subject say who it is. */
function personOf({ issuer, subject, claims }: Identity): SignedInPerson {
  const email = textOf(claims, 'email', MAX_EMAIL);
  const name = textOf(claims, 'name', MAX_NAME) ?? textOf(claims, 'preferred_username', MAX_NAME) ?? email ?? subject;
  return { issuer, subject, name: name.slice(0, MAX_NAME), email: email ?? null };
}

/** A claim as one line of text that Postgres can store. */
function textOf(claims: Claims, name: string, max: number): string | undefined {
  const value = claims[name];
  if (typeof value !== 'string') return undefined;
  const line = value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return [...line].slice(0, max).join('') || undefined;
}
