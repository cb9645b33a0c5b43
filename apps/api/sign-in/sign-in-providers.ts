import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ProblemError } from '#lib/contracts/input/problem';
import { createMissingTeams } from '#lib/db/catalogue/sign-in';
import type { Pool } from '#lib/db/connection/pool';
import { egressOf } from '#lib/egress/egress';
import type { Env } from '#lib/runtime/env';
import type { Logger } from '#lib/runtime/logger';
import { ENV, LOGGER, POOL } from '../platform/stores.js';
import { ProviderClient } from './provider-client.js';
import { createProviderFetch } from './provider-fetch.js';
import { readSignInFile } from './sign-in-file.js';

/** The providers of TOOLMARK_SIGN_IN_FILE, in its order. They are read once, and asked when somebody signs in. */
@Injectable()
export class SignInProviders implements OnApplicationBootstrap {
  readonly all: readonly ProviderClient[];

  /** @throws SignInFault */
  constructor(
    @Inject(ENV) env: Env,
    @Inject(LOGGER) logger: Logger,
    @Inject(POOL) readonly pool: Pool,
  ) {
    const settings = readSignInFile(env.TOOLMARK_SIGN_IN_FILE, env.TOOLMARK_PUBLIC_URL);
    this.all = settings.map(
      (provider) => new ProviderClient(provider, logger, createProviderFetch(egressOf(env), provider.issuer)),
    );
  }

  /** Creates the teams that rules name. */
  onApplicationBootstrap(): Promise<void> {
    const rules = this.all.flatMap(({ settings }) => settings.rules);
    return createMissingTeams(
      this.pool,
      rules.map(({ team }) => team),
    );
  }

  find(id: string): ProviderClient | undefined {
    return this.all.find(({ settings }) => settings.id === id);
  }

  /** @throws ProblemError 404 */
  get(id: string): ProviderClient {
    const provider = this.find(id);
    if (!provider) throw new ProblemError(404, 'There is no such sign-in provider.');
    return provider;
  }
}
