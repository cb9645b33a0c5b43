import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterFile } from './after-file.js';
import { freePort } from './services.js';
import { installTool } from './tools.js';
import { until } from './until.js';

const CLIENT_ID = 'toolmark';
const CLIENT_SECRET = 'a-client-secret-for-tests';

/** Claims of an account: `name`, `email`, `email_verified`, `groups`, `roles`, `department`, `hd`, `_claim_names`. */
type Claims = Record<string, unknown>;

export interface ProviderState {
  /** Claims by subject. Each is a button of the provider's page with the person's name. */
  accounts: Record<string, Claims>;
  /** How far the provider's clock is ahead of ours. */
  clockAheadMs: number;
  /**
   * `down`, `hangs`, `huge`: every request. `discovery_issuer`, `response_issuer`, `token_issuer`: another issuer in
   * the discovery document, in the callback's `iss` and in ID tokens. `replayed_code`: the callback has the code of the
   * sign-in before. The others are faults of ID tokens.
   */
  fault:
    | 'down'
    | 'hangs'
    | 'huge'
    | 'discovery_issuer'
    | 'response_issuer'
    | 'token_issuer'
    | 'replayed_code'
    | 'nonce'
    | 'audience'
    | 'expired'
    | 'algorithm_none'
    | 'signature'
    | null;
  /** Where it posts logout tokens. */
  logoutUri: string | null;
  refreshTokens: boolean;
  /** Whether ID tokens have the account's claims, or only userinfo. */
  claimsInIdToken: boolean;
}

export interface SignInProvider {
  issuer: string;
  /** Changes parts of its state. */
  set(state: Partial<ProviderState>): Promise<void>;
  /** How often each path was requested. */
  requests(): Promise<Record<string, number>>;
  /** A token of any claims, signed with the provider's key, or with another one if it is forged. */
  sign(claims: object, options?: { header?: object; isForged?: boolean }): Promise<string>;
  /** Posts a logout token for a session, or for all sessions of an account, to `logoutUri`. */
  logOut(account: string, sid?: string): Promise<void>;
  /** Signs in on its pages as a browser without cookies does. @returns the callback that it redirects to */
  choose(account: string, authorizationUrl: string): Promise<string>;
  /** An entry of TOOLMARK_SIGN_IN_FILE for this provider. */
  entry(more?: object): object;
}

/** The provider of test/tools/oidc-provider on a free port. It ends with the test file. */
export async function startSignInProvider(state: Partial<ProviderState> = {}): Promise<SignInProvider> {
  installTool('oidc-provider');
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const child = spawn(
    resolve('node_modules/.bin/node'),
    [
      '--import',
      resolve('scripts/stop-with-parent.mjs'),
      resolve('test/tools/oidc-provider/provider.mjs'),
      String(port),
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { PATH: process.env.PATH } },
  );
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  afterFile(() => child.kill('SIGKILL'));
  const test = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${issuer}/test/${path}`, { method, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  await until(() => test('GET', 'requests'), { what: 'the provider to answer' }).catch((error: Error) => {
    throw new Error(`${error.message}\n${errors}`);
  });
  const set = async (changed: Partial<ProviderState>): Promise<void> => void (await test('PUT', 'state', changed));
  await set(state);
  return {
    issuer,
    set,
    requests: () => test('GET', 'requests'),
    sign: async (claims, options) => (await test('POST', 'sign', { claims, ...options })).token,
    logOut: async (account, sid) => void (await test('POST', 'logout', { account, sid })),
    choose: (account, authorizationUrl) => choose(issuer, account, authorizationUrl),
    entry: (more) => ({ issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET, ...more }),
  };
}

async function choose(issuer: string, account: string, authorizationUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  const send = async (url: string, body?: string): Promise<Response> => {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body,
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0]!.split('=');
      cookies.set(name!, value!);
    }
    return response;
  };
  for (let url = authorizationUrl, pages = 0; pages < 10; pages++) {
    if (!url.startsWith(issuer)) return url;
    let response = await send(url);
    if (response.status === 200) response = await send(url, new URLSearchParams({ account }).toString());
    const location = response.headers.get('location');
    if (!location) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
  }
  throw new Error('The provider redirects in a circle');
}

/** A file of providers for TOOLMARK_SIGN_IN_FILE. JSON is YAML. It is removed with the test file. */
export function signInFile(...providers: object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolmark-sign-in-'));
  afterFile(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sign-in.yaml');
  writeFileSync(file, JSON.stringify({ providers }));
  return file;
}
