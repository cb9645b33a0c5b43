import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { endSessionById, keepReread, takeDueSession, type DueSession } from '#lib/db/catalogue/sign-in-sessions';
import type { Pool } from '#lib/db/connection/pool';
import type { Logger } from '#lib/runtime/logger';
import { UnsealError } from '#lib/runtime/seal';
import { LOGGER, POOL } from '../platform/stores.js';
import type { ProviderClient } from './provider-client.js';
import { SignInRefusal } from './refusals.js';
import { SignInProviders } from './sign-in-providers.js';
import { SignInService } from './sign-in.service.js';

const EVERY_MS = 15_000;
/** Sessions of one provider at a time, in each replica. */
const AT_ONCE = 3;

/**
 * Asks providers again what the groups of people are, outside of their requests. A session that is due is taken in its
 * row, so that one replica uses its refresh token. A replica that dies between the answer and the write leaves a
 * refresh token that the provider has already replaced: the next try is refused, that session ends, and the person
 * signs in again. A provider that does not answer ends no session: it is asked again after some minutes.
 */
@Injectable()
export class RereadClaims implements OnApplicationBootstrap, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<unknown> | undefined;
  #isStopping = false;

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(LOGGER) readonly logger: Logger,
    readonly providers: SignInProviders,
    readonly service: SignInService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.providers.all.length === 0) return;
    this.#timer = setInterval(() => void this.readDue(), EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#reading;
  }

  /** Reads the claims of all sessions that are due. Calls while it does so join it. */
  readDue(): Promise<unknown> {
    const readers = (provider: ProviderClient) => Array.from({ length: AT_ONCE }, () => this.#readDueOf(provider));
    return (this.#reading ??= Promise.all(this.providers.all.flatMap(readers)).finally(
      () => (this.#reading = undefined),
    ));
  }

  async #readDueOf(provider: ProviderClient): Promise<void> {
    const { id, reread_minutes } = provider.settings;
    try {
      for (;;) {
        const due = this.#isStopping ? undefined : await takeDueSession(this.pool, id, reread_minutes);
        if (!due) return;
        // The others would fare no better.
        if ((await this.#reread(provider, due)) === 'unavailable') return;
      }
    } catch (error) {
      this.logger.warn({ provider: id, reason: (error as Error).message }, 'Claims could not be read again');
    }
  }

  async #reread(provider: ProviderClient, session: DueSession): Promise<'done' | 'unavailable'> {
    const { settings } = provider;
    try {
      if (session.refreshToken === null)
        throw new SignInRefusal('grant-ended', 'Sign in again.', 'the provider gave no refresh token');
      const identity = await provider.refresh(this.service.open(session.refreshToken, session), session);
      await this.service.reread(settings, identity, (client) =>
        keepReread(client, session.id, this.service.seal(identity.refreshToken, session)),
      );
      return 'done';
    } catch (error) {
      const { message } = error as Error;
      const place = { provider: settings.id, session: session.id };
      const hasEnded = error instanceof UnsealError || (error instanceof SignInRefusal && error.kind === 'grant-ended');
      if (hasEnded) {
        await endSessionById(this.pool, session.id, 'the provider does not renew it');
        this.logger.info({ ...place, reason: message }, 'A session ended, because its claims cannot be read again');
        return 'done';
      }
      this.logger.warn({ ...place, reason: message }, 'Claims could not be read again; another try follows');
      // What is wrong with one session keeps nobody else's from being read: it is tried again after some minutes.
      return error instanceof SignInRefusal && error.kind === 'unavailable' ? 'unavailable' : 'done';
    }
  }
}
