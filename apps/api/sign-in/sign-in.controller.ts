import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import { SignInInput, SignInOptions, SignInStart } from '#lib/contracts/people';
import { endSessionsOf } from '#lib/db/catalogue/sign-in-sessions';
import { finishOnce } from '#lib/db/catalogue/sign-in';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import type { Logger } from '#lib/runtime/logger';
import { Sealer } from '#lib/runtime/seal';
import { MAX_OPEN_BYTES } from '../platform/auth.js';
import { CallerLimits } from '../platform/caller-limits.js';
import { cookieOf } from '../platform/credentials.js';
import { About, AlsoAnswers, Answers, Open, TakesFile } from '../platform/decorators.js';
import { Refusals, routeOf } from '../platform/refusals.js';
import { factsOf } from '../platform/request-source.js';
import { ENV, LOGGER, POOL } from '../platform/stores.js';
import { addressOf } from '../platform/trusted-proxies.js';
import type { Upload } from '../platform/upload.js';
import { beginAttempt, findAttempt, ownPath, removeAttempt, type Attempt } from './attempts.js';
import type { ProviderClient } from './provider-client.js';
import { CLOCK_TOLERANCE_S, SignInRefusal } from './refusals.js';
import { sendPage } from './sign-in-page.js';
import { SignInProviders } from './sign-in-providers.js';
import { SignInService } from './sign-in.service.js';

/** Requests to one provider at a time, and how many may wait: whoever has no token can cause them. */
const [AT_ONCE, MAX_WAITING] = [8, 100];
/** Logout tokens of one address at a time: those of nobody must not wait beside sign-ins. */
const [LOGOUTS_AT_ONCE, MAX_WAITING_LOGOUTS] = [2, 20];
const MAX_REMEMBERED = 10_000;
const LOGOUT_TOKEN = 'logout_token=eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.eyJpc3MiOiJodHRwczov...';
const PAGE = '<!doctype html><html lang="en">...</html>';

/** Sign-in at OpenID Connect providers: authorization code with PKCE. */
@Controller('api/sign-in')
export class SignInController {
  readonly #requests = new KeyedSemaphore(AT_ONCE, MAX_WAITING, 'Too many people sign in at once. Try again soon.');
  readonly #logouts = new KeyedSemaphore(
    LOGOUTS_AT_ONCE,
    MAX_WAITING_LOGOUTS,
    'Too many logouts wait. Try again soon.',
  );
  /** The states of callbacks that came. */
  readonly #states = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
    @Inject(LOGGER) readonly logger: Logger,
    readonly sealer: Sealer,
    readonly providers: SignInProviders,
    readonly service: SignInService,
    readonly limits: CallerLimits,
    readonly refusals: Refusals,
  ) {}

  @Get()
  @About('List sign-in providers', 'For the page: where people sign in. Without a provider, they sign in with tokens.')
  @Open('everybody')
  @Answers(200, SignInOptions)
  options() {
    return { providers: this.providers.all.map(({ settings: { id, name } }) => ({ id, name })) };
  }

  @Post(':provider')
  @About(
    'Begin a sign-in',
    'For the pages of this server: answers where the browser goes next. A sealed cookie has what the callback needs, ' +
      'so any replica can finish the sign-in, within ten minutes and in this browser only.',
  )
  @Open('own-page')
  @Answers(200, SignInStart, 404, 409, 503)
  async begin(
    @Param('provider') id: string,
    @Body({ schema: SignInInput }) { back, invitation }: z.infer<typeof SignInInput>,
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const provider = this.providers.get(id);
    this.#checkAddress(raw.headers.origin);
    const options = { ...this.#cookieOptions(provider), back, invitation };
    const { attempt, cookies } = beginAttempt(raw, this.sealer, options);
    const url = await this.#requests
      .run(id, () => provider.authorizationUrl(attempt))
      .catch((error: unknown) => {
        if (!(error instanceof SignInRefusal)) throw error;
        this.#log(provider, error);
        throw new ProblemError(503, error.sentence, undefined, 5000).as('provider_unavailable', { provider: id });
      });
    void reply.header('set-cookie', cookies);
    return { url };
  }

  /** The provider sends the browser back to another address than this page's, where the cookie would be missing. */
  #checkAddress(origin: string | undefined): void {
    const url = this.env.TOOLMARK_PUBLIC_URL!;
    if (origin === undefined || origin === url) return;
    throw new ProblemError(409, `People sign in at ${url}. Open Toolmark there.`).as('wrong_address', { url });
  }

  @Get(':provider/callback')
  @About(
    'Finish a sign-in',
    'Where a provider sends the browser back to. Answers a page that opens the app with a new session, or says why ' +
      'nobody was signed in.',
  )
  @AlsoAnswers({ 'text/html': PAGE })
  @Open('everybody', 'attempt')
  @Answers(200)
  async callback(@Param('provider') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const provider = this.providers.find(id);
    const { state } = request.query as { state?: unknown };
    const attempt = provider && findAttempt(request.raw, this.sealer, { provider: id, state });
    await this.#countCallback(request, reply, attempt);
    if (!provider || !attempt)
      return this.#sendRefusal(reply, undefined, [
        'This sign-in has ended: it began in another browser, or more than ten minutes ago.',
      ]);
    void reply.header('set-cookie', removeAttempt(attempt, this.#cookieOptions(provider)));
    try {
      await this.#requests.run(id, () => this.#finish(provider, attempt, request, reply));
    } catch (error) {
      const { status, sentence } = this.#describe(provider, error);
      await this.#sendRefusal(reply, attempt, [sentence], status);
    }
  }

  /** The first callback of a sign-in that began here counts for nobody: neighbours at its address cannot stop it. */
  async #countCallback(request: FastifyRequest, reply: FastifyReply, attempt: Attempt | undefined): Promise<void> {
    const isFirst = attempt !== undefined && !this.#states.has(attempt.state);
    if (attempt) this.#states.set(attempt.state, true);
    const refusal = isFirst ? undefined : await this.limits.ofAddress(request, reply);
    if (refusal) throw refusal;
  }

  async #finish(
    provider: ProviderClient,
    attempt: Attempt,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { raw } = request;
    const { settings } = provider;
    // Before the code is exchanged: a provider that sees a code twice takes back what it gave for it.
    if (!(await finishOnce(this.pool, attempt.state, new Date(attempt.untilMs))))
      return this.#sendRefusal(reply, attempt, ['This sign-in was finished before. You may be signed in already.']);
    const search = new URL(raw.url!, settings.redirect_uri).search;
    const identity = await provider.finish(search, attempt);
    const { invitation } = attempt;
    const { session, problem } = await this.service.enter({ settings, identity, invitation, request });
    if (!session) {
      const { issuer, subject } = identity;
      this.logger.info({ provider: settings.id, issuer, subject }, 'Nobody lets this person in: no rule matches');
      return this.#sendRefusal(reply, attempt, [
        problem ??
          `You signed in at ${settings.name}, but you are in no team of this Toolmark. Ask an owner of your team for ` +
            'an invitation, or your administrator for a group that may come in.',
      ]);
    }
    const { isSecure } = this.#cookieOptions(provider);
    void reply.header('set-cookie', cookieOf(raw, session.secret, session.expiresAt, isSecure));
    sendPage(reply, 200, {
      title: 'Signed in',
      sentences: problem === undefined ? [] : [problem],
      link: { path: attempt.back, text: 'Open Toolmark' },
      opens: problem === undefined,
    });
  }

  @Post(':provider/logout')
  @About(
    'End sessions from the provider',
    'Back-channel logout: the provider posts a signed `logout_token` when its own session of a person ends. Ends the ' +
      'sessions that began before.',
  )
  @TakesFile(
    { 'application/x-www-form-urlencoded': LOGOUT_TOKEN },
    { bounds: { bytes: MAX_OPEN_BYTES, totalMs: 10_000 }, identifiedBy: 'length' },
  )
  @Open('everybody', 'signature')
  @Answers(200, undefined, 400, 404, 503)
  async logOut(
    @Param('provider') id: string,
    @Body() body: Upload,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const provider = this.providers.get(id);
    const token = typeof body?.text === 'function' ? new URLSearchParams(await body.text()).get('logout_token') : null;
    const { request } = reply;
    if (!token)
      throw await this.limits.failed(request, () => new ProblemError(400, 'Send the form field "logout_token".'));
    const logout = await this.#logouts
      .run(addressOf(request.raw) ?? 'unknown', () => provider.readLogoutToken(token))
      .catch(async (error: unknown) => {
        if (!(error instanceof SignInRefusal)) throw error;
        if (!this.limits.isBeyond(request)) this.#log(provider, error);
        if (error.kind === 'unavailable') throw new ProblemError(503, error.sentence, undefined, 5000);
        const invalid = new ProblemError(400, `The logout token is not valid: ${error.message}.`);
        throw await this.limits.failed(request, () => invalid);
      });
    // Times of tokens are whole seconds. Of a session of the provider that has ended, no newer one of ours can begin.
    const tolerance = logout.sid === undefined ? 1 : CLOCK_TOLERANCE_S;
    const begunBefore = new Date(logout.issuedAt.getTime() + tolerance * 1000);
    const sessions = await endSessionsOf(this.pool, { ...logout, provider: id, begunBefore });
    this.logger.info({ provider: id, sessions }, 'The provider ended sessions');
  }

  #cookieOptions({ settings }: ProviderClient) {
    return { provider: settings.id, isSecure: settings.redirect_uri.startsWith('https:') };
  }

  /** What a person reads of an error. The log has the reason. */
  #describe(provider: ProviderClient, error: unknown): { status: number; sentence: string } {
    if (error instanceof SignInRefusal) {
      this.#log(provider, error);
      return { status: error.kind === 'unavailable' ? 503 : 403, sentence: error.sentence };
    }
    if (error instanceof ProblemError) return { status: error.status, sentence: error.message };
    const { message, stack } = error as Error;
    this.logger.error({ provider: provider.settings.id, error: message, stack }, 'A sign-in failed');
    return { status: 500, sentence: 'Something went wrong in Toolmark. Try again in a few minutes.' };
  }

  #log({ settings }: ProviderClient, { kind, message }: SignInRefusal): void {
    this.logger.warn({ provider: settings.id, issuer: settings.issuer, kind, reason: message }, 'Sign-in was refused');
  }

  /** Whoever is refused counts as a failed sign-in. */
  async #sendRefusal(
    reply: FastifyReply,
    attempt: Attempt | undefined,
    sentences: string[],
    status: number = 403,
  ): Promise<void> {
    const { request } = reply;
    this.refusals.note({ action: 'refused.sign_in', subject: routeOf(request), request: factsOf(request) });
    const back = attempt && ownPath(attempt.back) !== '/' ? `?back=${encodeURIComponent(attempt.back)}` : '';
    const again = attempt?.invitation ? ['To use your invitation, open its link again.'] : [];
    const refusal = new ProblemError(403, sentences[0]!);
    const counted = status === 403 ? await this.limits.failed(reply.request, () => refusal) : refusal;
    sendPage(reply, counted.status === 429 ? 429 : status, {
      title: 'Not signed in',
      sentences: [...(counted.status === 429 ? [counted.message] : sentences), ...again],
      link: { path: `/sign-in${back}`, text: 'Sign in again' },
    });
  }
}
