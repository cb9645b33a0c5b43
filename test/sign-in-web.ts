import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterFile } from './after-file.js';
import { clientOf, type Client } from './client.js';
import { startProcess } from './processes.js';
import { createDatabase, createRedis, freePort } from './services.js';
import { signInFile, startSignInProvider, type ProviderState, type SignInProvider } from './sign-in-provider.js';
import { openWeb, type OpenOptions, type Tab, type Web } from './web.js';

const PROVIDER = 'Example SSO';

export interface SignInWeb extends Web {
  provider: SignInProvider;
  /** An owner's token of the team `default`. */
  client: Client;
  sql: pg.Pool;
  /** A tab of a new browser, in which nobody is signed in. */
  openNew(options?: OpenOptions): Promise<Tab>;
}

/**
 * An API where people sign in at a provider, with a page. The browser knows it as `localhost` and the provider as
 * 127.0.0.1, which are two sites: `Strict` cookies do not come with a navigation from the provider.
 */
export async function startSignInWeb(accounts: ProviderState['accounts'], rules: object[]): Promise<SignInWeb> {
  const [database, redis, provider, port] = await Promise.all([
    createDatabase(),
    createRedis(),
    startSignInProvider({ accounts }),
    freePort(),
  ]);
  const url = `http://localhost:${port}`;
  await startProcess('api', {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'warn',
    PORT: String(port),
    TOOLMARK_PUBLIC_URL: url,
    TOOLMARK_SIGN_IN_FILE: signInFile(provider.entry({ id: 'sso', name: PROVIDER, rules })),
  });
  await provider.set({ logoutUri: `http://127.0.0.1:${port}/api/sign-in/sso/logout` });
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => {});
  afterFile(() => sql.end());
  const client = clientOf(url);
  const web = await openWeb(client);
  return { ...web, provider, client, sql, openNew: (options) => web.open({ token: null, ...options }) };
}

/** Signs in at the provider as one of its accounts, from the screen or dialog that offers it. */
export async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Sign in with ${PROVIDER}` }).click();
  await chooseAccount(page, name);
}

/** On the provider's own page. */
export const chooseAccount = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).click();

/** The menu of the person, once the page shows it. */
export const userMenu = (page: Page, name: string, role: string) =>
  page.getByRole('button', { name: `${name}, ${role}` });
