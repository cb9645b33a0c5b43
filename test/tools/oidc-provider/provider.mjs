// An OpenID Connect provider on 127.0.0.1 for test/sign-in-provider.ts: node provider.mjs <port>. Its pages are plain
// forms. `PUT /test/state` sets accounts, the clock and a fault; `POST /test/sign` signs any claims with its key.
import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';

const port = Number(process.argv[2]);
const issuer = `http://127.0.0.1:${port}`;

/** What a test has set: see `SignInProvider` in test/sign-in-provider.ts. */
let state = { accounts: {}, clockAheadMs: 0, fault: null, logoutUri: null, refreshTokens: true, claimsInIdToken: true };
/** Requests by path, for tests that count them. */
const requests = {};

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length ? args : [RealDate.now() + state.clockAheadMs]));
  }

  static now() {
    return RealDate.now() + state.clockAheadMs;
  }
};

const { Provider } = await import('oidc-provider');
const [key, otherKey] = await Promise.all([1, 2].map(() => generateKeyPair('RS256', { extractable: true })));
const jwk = { ...(await exportJWK(key.privateKey)), kid: 'key-1', alg: 'RS256', use: 'sig' };
const sign = (claims, header = {}, { privateKey } = key) =>
  header.alg === 'none'
    ? new UnsecuredJWT(claims).encode()
    : new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1', ...header }).sign(privateKey);

const CLAIMS = {
  openid: ['sub'],
  profile: ['name', 'preferred_username', 'groups', 'roles', 'department', 'hd', '_claim_names'],
  email: ['email', 'email_verified'],
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'toolmark',
      client_secret: 'a-client-secret-for-tests',
      redirect_uris: [`${issuer}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      backchannel_logout_uri: `${issuer}/nowhere`,
      backchannel_logout_session_required: true,
    },
  ],
  jwks: { keys: [jwk] },
  claims: CLAIMS,
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  cookies: { keys: ['a-key-for-tests'] },
  features: {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) =>
        void (ctx.body = page(
          'Sign out',
          form.replace('</form>', '<button name="logout" value="yes">Sign out</button></form>'),
        )),
      postLogoutSuccessSource: (ctx) => void (ctx.body = page('Signed out', '<p>You are signed out.</p>')),
    },
  },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  issueRefreshToken: () => state.refreshTokens,
  expiresWithSession: () => false,
  rotateRefreshToken: true,
  ttl: {
    AccessToken: 600,
    AuthorizationCode: 60,
    Grant: 86400,
    IdToken: 600,
    Interaction: 600,
    RefreshToken: 86400,
    Session: 86400,
  },
  interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  // Its own dispatcher refuses loopback addresses.
  fetch: (url, { dispatcher: _dispatcher, ...options }) => fetch(url, options),
  findAccount: (_ctx, id) =>
    state.accounts[id] && {
      accountId: id,
      claims: (use) => ({ sub: id, ...(use === 'id_token' && !state.claimsInIdToken ? {} : state.accounts[id]) }),
    },
  async loadExistingGrant({ oidc: { session, client } }) {
    const grantId = session.grantIdFor(client.clientId);
    const existing = grantId && (await provider.Grant.find(grantId));
    if (existing) return existing;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid profile email offline_access');
    await grant.save();
    return grant;
  },
});
provider.Client.prototype.redirectUriAllowed = (uri) =>
  URL.canParse(uri) && ['127.0.0.1', 'localhost'].includes(new URL(uri).hostname);
const client = await provider.Client.find('toolmark');

/** Faults of an ID token: what it is replaced with. */
const TOKEN_FAULTS = {
  token_issuer: (claims) => sign({ ...claims, iss: 'https://elsewhere.example' }),
  nonce: (claims) => sign({ ...claims, nonce: 'another-nonce' }),
  audience: (claims) => sign({ ...claims, aud: 'another-client' }),
  expired: (claims) => sign({ ...claims, iat: claims.iat - 7200, exp: claims.iat - 3600 }),
  algorithm_none: (claims) => sign(claims, { alg: 'none' }),
  signature: (claims) => sign(claims, {}, otherKey),
};
let lastCode;

provider.use(async (ctx, next) => {
  await next();
  const { fault } = state;
  const route = ctx.oidc?.route;
  if (route === 'discovery' && fault === 'discovery_issuer') ctx.body.issuer = 'https://elsewhere.example';
  if (route === 'token' && ctx.body?.id_token && TOKEN_FAULTS[fault])
    ctx.body.id_token = await TOKEN_FAULTS[fault](decodeJwt(ctx.body.id_token));
  const location = ctx.response.get('location');
  if (!location || !URL.canParse(location) || !new URL(location).searchParams.has('code')) return;
  const url = new URL(location);
  if (fault === 'response_issuer') url.searchParams.set('iss', 'https://elsewhere.example');
  const code = url.searchParams.get('code');
  if (fault === 'replayed_code' && lastCode) url.searchParams.set('code', lastCode);
  lastCode = code;
  ctx.set('location', url.href);
});

const escape = (html) => String(html).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const page = (title, body) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Test provider</title></head>` +
  `<body><main><h1>${title}</h1>${body}</main></body></html>`;

/** The form that a person signs in with: a button for each account. */
async function interact(request, response) {
  if (request.method === 'POST') {
    const account = new URLSearchParams(await text(request)).get('account');
    const result = account
      ? { login: { accountId: account } }
      : { error: 'access_denied', error_description: 'The person declined.' };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  await provider.interactionDetails(request, response);
  const buttons = Object.entries(state.accounts).map(
    ([id, { name }]) => `<p><button name="account" value="${escape(id)}">${escape(name ?? id)}</button></p>`,
  );
  const form = `<form method="post">${buttons.join('')}<p><button name="account" value="">Cancel</button></p></form>`;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page('Choose an account', form));
}

const TEST_ROUTES = {
  'PUT /test/state': async (request) => {
    state = { ...state, ...(await json(request)) };
    if (state.logoutUri) client.backchannelLogoutUri = state.logoutUri;
    return {};
  },
  'GET /test/requests': () => requests,
  'POST /test/sign': async (request) => {
    const { claims, header, isForged } = await json(request);
    return { token: await sign(claims, header, isForged ? otherKey : key) };
  },
  /** Signs a person out by the back channel, as the provider does when its own session ends. */
  'POST /test/logout': async (request) => {
    const { account, sid } = await json(request);
    await client.backchannelLogout(account, sid);
    return {};
  },
};

const handle = provider.callback();
const server = createServer((request, response) => {
  const path = request.url.split('?')[0];
  const route = TEST_ROUTES[`${request.method} ${path}`];
  const fail = (error) => response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error?.stack ?? error));
  if (route)
    return void Promise.resolve(route(request))
      .then((answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)))
      .catch(fail);
  requests[path] = (requests[path] ?? 0) + 1;
  if (state.fault === 'down') return void request.socket.destroy();
  if (state.fault === 'hangs') return;
  if (state.fault === 'huge')
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2 ** 21)}"`);
  if (path.startsWith('/interaction/')) return void interact(request, response).catch(fail);
  handle(request, response);
});
server.listen(port, '127.0.0.1');
