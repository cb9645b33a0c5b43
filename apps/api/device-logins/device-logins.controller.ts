import { Body, Controller, Get, Inject, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ProblemError } from '#lib/contracts/input/problem';
import {
  DeviceCode,
  DeviceDecision,
  DeviceLogin,
  DeviceLoginInput,
  DeviceToken,
  WaitingDeviceLogin,
} from '#lib/contracts/people';
import type { Caller } from '#lib/db/catalogue/callers';
import {
  askDeviceLogin,
  beginDeviceLogin,
  decideDeviceLogin,
  findDeviceLogin,
  INTERVAL_MS,
  LOGIN_MS,
} from '#lib/db/catalogue/device-logins';
import type { Pool } from '#lib/db/connection/pool';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { sha256 } from '#lib/runtime/seal';
import { Semaphore } from '#lib/runtime/semaphore';
import { CallerLimits } from '../platform/caller-limits.js';
import { About, Answers, Changes, Me, Needs, Open, type Change } from '../platform/decorators.js';
import { factsOf } from '../platform/request-source.js';
import { ENV, POOL } from '../platform/stores.js';
import { refuseLimits } from '../platform/token-limits.js';
import { addressOf } from '../platform/trusted-proxies.js';
import { refuseRolesAbove } from '../teams/token-rules.js';

const MAX_WAITING = 20;
const TOO_MANY = 'Too many logins begin at once. Try again in a few seconds.';

/** Logins of the command line, which a person approves in a browser (RFC 8628, in the API's own words). */
@Controller('api')
export class DeviceLoginsController {
  /** Nobody has shown a token yet: all together take two connections, and one address, or login, waits for itself. */
  readonly #ofOne = new KeyedSemaphore(1, MAX_WAITING, TOO_MANY);
  readonly #ofAll = new Semaphore(2, MAX_WAITING * 5, TOO_MANY);

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(ENV) readonly env: Env,
    readonly limits: CallerLimits,
  ) {}

  @Post('device-logins')
  @About(
    'Begin a login of a command line',
    'For programs on a host without a browser, or that no token was given to: shows a code, and the address at which ' +
      'a person approves it. One who is logged in there gives the program a token of their own. The address is one ' +
      'of this server (a path) if the operator has set no TOOLMARK_PUBLIC_URL.',
  )
  @Open('everybody')
  @Answers(201, DeviceLogin, 429)
  async begin(@Body({ schema: DeviceLoginInput }) { name }: { name: string }, @Req() { raw }: FastifyRequest) {
    const address = addressOf(raw) ?? 'unknown';
    const { deviceCode, userCode } = await this.#inTurn(address, () => beginDeviceLogin(this.pool, name, address));
    return {
      device_code: deviceCode,
      user_code: userCode,
      url: `${this.env.TOOLMARK_PUBLIC_URL ?? ''}/device?code=${userCode}`,
      expires_in_s: LOGIN_MS / 1000,
      interval_s: INTERVAL_MS / 1000,
    };
  }

  @Post('device-logins/token')
  @About(
    'Ask whether a login was approved',
    '409 `authorization_pending` until then; 429 `slow_down` for who does not wait `interval_s` seconds. The token ' +
      'is in one answer only: after another question it is deleted, and the login has to begin again.',
  )
  @Open('everybody')
  @Answers(200, DeviceToken, 403, 404, 409, 429)
  async ask(
    @Body({ schema: DeviceCode }) { device_code }: { device_code: string },
    @Req() request: FastifyRequest,
  ): Promise<z.infer<typeof DeviceToken>> {
    const days = this.env.TOOLMARK_TOKEN_DAYS;
    const state = await this.#inTurn(sha256(device_code), () =>
      askDeviceLogin(this.pool, device_code, days, factsOf(request)),
    );
    if (state === 'pending')
      throw new ProblemError(409, 'Nobody has approved the login yet.').as('authorization_pending');
    if (state === 'too-soon')
      throw new ProblemError(429, `Ask every ${INTERVAL_MS / 1000} seconds.`, undefined, INTERVAL_MS).as('slow_down');
    if (state === 'refused') throw new ProblemError(403, 'The login was refused in the browser.').as('login_refused');
    if (state === 'ended') {
      const ended = 'The login has ended: nobody approved it in time, or its token was fetched.';
      throw await this.limits.failed(request, () => new ProblemError(404, ended).as('login_ended'));
    }
    return state;
  }

  @Get('me/device-logins/:userCode')
  @About('Read a login that waits', 'Who asks, and from where, for whoever is to approve it.')
  @Answers(200, WaitingDeviceLogin, 404, 429)
  async read(
    @Me() caller: Caller,
    @Param('userCode') userCode: string,
    @Req() request: FastifyRequest,
  ): Promise<z.infer<typeof WaitingDeviceLogin>> {
    checkApprover(caller);
    return this.#find(caller, request, () => findDeviceLogin(this.pool, userCode));
  }

  @Post('me/device-logins/:userCode')
  @About(
    'Approve or refuse a login',
    'Its program then fetches a token of yours for this team, with your role or a lower one. The token expires like ' +
      'any other, and is among yours. Tokens with limits, and service accounts, cannot approve.',
  )
  @Needs('viewer')
  @Answers(204, undefined, 404, 429)
  async decide(
    @Me() caller: Caller,
    @Param('userCode') userCode: string,
    @Body({ schema: DeviceDecision }) { approve, role = caller.role }: z.infer<typeof DeviceDecision>,
    @Changes() change: Change,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    checkApprover(caller);
    if (approve) refuseRolesAbove(caller, role);
    await this.#find(caller, request, () =>
      change(async (client) => {
        const isDecided = await decideDeviceLogin(client, caller, userCode, approve ? role : 'refused');
        return isDecided || undefined;
      }),
    );
  }

  /** A person tries few codes: nobody finds the login of somebody else by trying. */
  async #find<Found>(caller: Caller, request: FastifyRequest, find: () => Promise<Found | undefined>): Promise<Found> {
    await this.limits.ofTry(caller);
    const found = await find();
    if (found !== undefined) return found;
    this.limits.noteFailure(request);
    const unknown = 'No login waits with this code. Compare it with the one in the terminal.';
    throw new ProblemError(404, unknown).as('login_ended');
  }

  #inTurn<Made>(one: string, work: () => Promise<Made>): Promise<Made> {
    return this.#ofOne.run(one, () => this.#ofAll.run(work));
  }
}

/** @throws ProblemError 403 for whoever must not make a token */
function checkApprover(caller: Caller): void {
  if (caller.personKind === 'service')
    throw new ProblemError(403, 'A service account does not log in. An owner creates its tokens.').as(
      'service_account',
    );
  refuseLimits(caller);
}
