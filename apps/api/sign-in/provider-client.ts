import { createRemoteJWKSet, customFetch as joseFetch, jwtVerify, type JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';
import type { Logger } from '#lib/runtime/logger';
import { isLoopback } from './is-loopback.js';
import type { ProviderFetch } from './provider-fetch.js';
import { CLOCK_TOLERANCE_S, clocksDiffer, explain, SignInRefusal } from './refusals.js';
import { claimOf, claimsOfRules, type Claims } from './rules.js';
import type { SignInSettings } from './sign-in-file.js';

/** How long a discovery document is used. A newer one is fetched while the old one still serves. */
const DISCOVERY_MS = 3600_000;
/** How long an old one serves after a newer one could not be fetched, before the next try. */
const RETRY_MS = 60_000;
/** As OpenID Connect has it. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** What only the browser's sealed cookie knows of a sign-in that has begun. */
export interface Secrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** Whom the provider has signed in. */
export interface Identity {
  issuer: string;
  subject: string;
  claims: Claims;
  /** The provider's session. */
  sid: string | undefined;
  refreshToken: string | undefined;
}

/** Whose sessions a logout token ends. */
export interface Logout {
  issuer: string;
  subject: string | undefined;
  sid: string | undefined;
  issuedAt: Date;
}

interface Discovered {
  config: oidc.Configuration;
  /** The keys that sign logout tokens. openid-client has its own for ID tokens. */
  keys: JWTVerifyGetKey;
  freshUntilMs: number;
}

/** A provider of sign-in. Its methods throw a `SignInRefusal` that explains what is wrong. */
export class ProviderClient {
  #discovered: Discovered | undefined;
  #discovering: Promise<Discovered> | undefined;

  constructor(
    readonly settings: SignInSettings,
    readonly logger: Logger,
    readonly fetch: ProviderFetch,
  ) {}

  /** Where a browser goes to sign in. */
  authorizationUrl({ state, nonce, verifier }: Secrets): Promise<string> {
    return this.#explained(async () => {
      const { config } = await this.#discover();
      const { scope, redirect_uri, parameters } = this.settings;
      return oidc.buildAuthorizationUrl(config, {
        ...parameters,
        ...{ scope, redirect_uri, state, nonce },
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
    });
  }

  /** Exchanges the code of a callback. @param search the callback's query */
  finish(search: string, { state, nonce, verifier }: Secrets): Promise<Identity> {
    return this.#explained(async () => {
      const { config } = await this.#discover();
      const tokens = await oidc.authorizationCodeGrant(config, new URL(this.settings.redirect_uri + search), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims()!;
      // Nothing else notices a provider whose clock is ahead. One that dates tokens back, as Entra does, is fine.
      if (idToken.iat > Date.now() / 1000 + CLOCK_TOLERANCE_S)
        throw clocksDiffer(this.settings.name, `iat is ${idToken.iat}`);
      return this.#identify(config, tokens, idToken);
    });
  }

  /** Reads the claims of a person again. Most providers take a refresh token once, and give a new one. */
  refresh(refreshToken: string, person: { issuer: string; subject: string }): Promise<Identity> {
    return this.#explained(async () => {
      const { config } = await this.#discover();
      const tokens = await oidc.refreshTokenGrant(config, refreshToken);
      const idToken = tokens.claims() ?? { iss: person.issuer, sub: person.subject };
      if (idToken.sub !== person.subject || idToken.iss !== person.issuer)
        throw this.#refusal('its refresh token led to another person');
      const identity = await this.#identify(config, tokens, idToken);
      return { ...identity, refreshToken: identity.refreshToken ?? refreshToken };
    });
  }

  /** Checks a token of back-channel logout. */
  readLogoutToken(token: string): Promise<Logout> {
    return this.#explained(async () => {
      const { config, keys } = await this.#discover();
      const { id_token_signing_alg_values_supported: algorithms = ['RS256'] } = config.serverMetadata();
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer: config.serverMetadata().issuer,
        audience: this.settings.client_id,
        algorithms: algorithms.filter((algorithm) => !/^(HS|none)/i.test(algorithm)),
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['iat', 'jti', 'events'],
      });
      const { iss, sub, sid, iat, events, nonce } = payload;
      const { typ = 'logout+jwt' } = protectedHeader;
      if (!/^(application\/)?(logout\+)?jwt$/i.test(typ)) throw this.#refusal(`its typ is ${JSON.stringify(typ)}`);
      if (iat! > Date.now() / 1000 + CLOCK_TOLERANCE_S) throw clocksDiffer(this.settings.name, `iat is ${iat}`);
      if (!isObject(events) || !isObject(events[LOGOUT_EVENT])) throw this.#refusal('it has no logout event');
      if (nonce !== undefined) throw this.#refusal('it has a nonce, so it is an ID token');
      if (typeof sub !== 'string' && typeof sid !== 'string') throw this.#refusal('it names neither sub nor sid');
      return {
        issuer: iss!,
        subject: typeof sub === 'string' ? sub : undefined,
        sid: typeof sid === 'string' ? sid : undefined,
        issuedAt: new Date(iat! * 1000),
      };
    });
  }

  /** The claims of the ID token, and those of userinfo if the ID token lacks one that is needed. */
  async #identify(
    config: oidc.Configuration,
    tokens: { access_token: string; refresh_token?: string },
    idToken: Claims & { iss: string; sub: string },
  ): Promise<Identity> {
    // At Microsoft, the library takes the issuer of any tenant if the discovery document is one for all tenants.
    if (new URL(idToken.iss).href !== new URL(this.settings.issuer).href)
      throw this.#refusal(`its token is of the issuer ${idToken.iss} instead of ${this.settings.issuer}`);
    const needed = [...claimsOfRules(this.settings), 'name', 'email'];
    const isComplete = needed.every((name) => claimOf(idToken, name) !== undefined);
    const userinfo =
      isComplete || config.serverMetadata().userinfo_endpoint === undefined
        ? {}
        : await oidc.fetchUserInfo(config, tokens.access_token, idToken.sub);
    const claims: Claims = { ...userinfo, ...idToken };
    this.#refuseOverage(claims);
    if (!SUBJECT.test(idToken.sub)) throw this.#refusal('its subject is longer than 255 characters, or not printable');
    return {
      issuer: idToken.iss,
      subject: idToken.sub,
      claims,
      sid: typeof claims.sid === 'string' ? claims.sid.slice(0, 500) : undefined,
      refreshToken: tokens.refresh_token,
    };
  }

  /** A provider that leaves out groups because there are too many would take the person out of all teams. */
  #refuseOverage(claims: Claims): void {
    const { groups_claim } = this.settings;
    const isLeftOut = isObject(claims._claim_names) && Object.hasOwn(claims._claim_names, groups_claim);
    if (isLeftOut && claimOf(claims, groups_claim) === undefined)
      throw new SignInRefusal(
        'refused',
        `${this.settings.name} does not say which groups you are in, because there are too many. ` +
          'Tell your administrator.',
        `the person is in more groups than it writes into the claim "${groups_claim}". Let it send only the groups ` +
          'that are assigned to this application',
      );
  }

  #refusal(reason: string): SignInRefusal {
    const sentence = `The answer of ${this.settings.name} could not be verified. Sign in again.`;
    return new SignInRefusal('refused', sentence, reason);
  }

  async #explained<Found>(ask: () => Promise<Found>): Promise<Found> {
    try {
      return await ask();
    } catch (error) {
      throw explain(error, this.settings);
    }
  }

  /** One request at a time, however many sign-ins need it. A failure is not kept. */
  #discover(): Promise<Discovered> {
    const old = this.#discovered;
    if (old && Date.now() < old.freshUntilMs) return Promise.resolve(old);
    this.#discovering ??= this.#fetchDiscovery().finally(() => (this.#discovering = undefined));
    if (!old) return this.#discovering;
    this.#discovering.catch((error: unknown) => {
      old.freshUntilMs = Date.now() + RETRY_MS;
      const reason = explain(error, this.settings).message;
      this.logger.warn({ provider: this.settings.id, reason }, 'A discovery document could not be fetched again');
    });
    return Promise.resolve(old);
  }

  async #fetchDiscovery(): Promise<Discovered> {
    const { issuer, client_id, client_secret } = this.settings;
    const config = await oidc.discovery(
      new URL(issuer),
      client_id,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE_S },
      authenticationOf(client_secret),
      {
        [oidc.customFetch]: this.fetch as oidc.CustomFetch,
        execute: [
          // Checks signatures of ID tokens, also of those that came straight from the provider.
          oidc.enableNonRepudiationChecks,
          ...(isLoopback(new URL(issuer).hostname) ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
    const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri!), { [joseFetch]: this.fetch });
    return (this.#discovered = { config, keys, freshUntilMs: Date.now() + DISCOVERY_MS });
  }
}

/** The secret goes into the body, which every provider decodes alike, unless it takes HTTP Basic only. */
function authenticationOf(secret: string): oidc.ClientAuth {
  const [inBody, inHeader] = [oidc.ClientSecretPost(secret), oidc.ClientSecretBasic(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_post') ? inBody : inHeader)(server, ...request);
  };
}

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null;
