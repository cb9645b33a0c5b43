import { decideRetry, RetryState } from './retry-policy.js';
import { classifyError, classifyStatus } from './classify-failure.js';
import { ProviderFailure } from './failure.js';
import { isPrivateAddress } from '#lib/egress/addresses';
import { maskKeys } from './guarded/mask-keys.js';
import { replyInFailure } from './formats/stored-reply.js';

const URL_OF = 'https://api.example.com/v1';
const status = (code: number, message = 'said', headers = {}) =>
  classifyStatus(code, new Headers(headers), { message }, message, { baseUrl: URL_OF });

describe('a failure of a provider', () => {
  it.each([
    [429, 'rate_limited', true],
    [401, 'auth', false],
    [403, 'auth', false],
    [400, 'bad_request', false],
    [404, 'bad_request', false],
    [408, 'timeout', true],
    [409, 'bad_response', true],
    [500, 'provider_5xx', true],
    [529, 'provider_5xx', true],
    [302, 'bad_response', false],
  ])('%d is %s (tried again: %s)', (code, kind, retryable) => {
    expect(status(code)).toMatchObject({ kind, retryable, message: expect.stringMatching(/api\.example\.com/) });
  });
  it('of a provider that names hours to wait is not an outage: its model rests', () => {
    expect(status(503, 'down', { 'retry-after': '60' }).isOutage).toBe(true);
    const maintenance = status(503, 'down', { 'retry-after': '7200' });
    expect(maintenance.isOutage).toBe(false);
    expect(new RetryState().recordFailure(maintenance)).toEqual({ next: { then: 'rest', forMs: 7_200_000 } });
  });
  it('is quoted, followed by a separate sentence with advice', () => {
    for (const said of [
      'You can find your key in your account.',
      'You can find your key in your account',
      'Find your key (in your account.)',
    ]) {
      expect(status(401, said).message).toMatch(/your account\.?\)?\.? Check the provider's api_key\.$/);
      expect(status(401, said).message).not.toContain('..');
    }
  });
  it('of a used-up quota is not retried', () => {
    expect(
      classifyStatus(429, undefined, { code: 'insufficient_quota', message: 'x' }, 'x', { baseUrl: URL_OF }).retryable,
    ).toBe(false);
  });
  it.each([
    ['ENOTFOUND', /could not be resolved/, true],
    ['ECONNREFUSED', /refuses connections/, true],
    ['CERT_HAS_EXPIRED', /certificate/, false],
    ['ECONNRESET', /failed/, true],
  ])('of the connection, %s, is named', (code, message, retryable) => {
    const error = new Error('fetch failed', { cause: Object.assign(new Error('inner'), { code }) });
    expect(classifyError(error, URL_OF)).toMatchObject({
      kind: 'network',
      message: expect.stringMatching(message),
      retryable,
    });
  });
  it('is storable and limited in length', () => {
    const { message, body } = new ProviderFailure(
      'bad_request',
      `no\0good \ud800 ${'x'.repeat(5000)}`,
      false,
      undefined,
      400,
      'a\0b',
    );
    expect([message.slice(0, 9), message.length, body]).toEqual(['nogood \ufffd ', 2000, 'ab']);
  });
  it('that quotes the model is a reply', () => {
    const body = JSON.stringify({ error: { code: 'tool_use_failed', failed_generation: '<function=f>' } });
    expect(replyInFailure(new ProviderFailure('bad_request', 'x', false, undefined, 400, body))?.message).toEqual({
      role: 'assistant',
      content: '<function=f>',
    });
    expect(
      replyInFailure(new ProviderFailure('bad_request', 'x', false, undefined, 400, '{"error":{}}')),
    ).toBeUndefined();
  });
});

describe('after a failure', () => {
  const tried = (some: object) => ({ attempts: 1, throttles: 0, throttledMs: 0, ...some });
  const slowDown = status(429, 'slow down', { 'retry-after': '60' });

  it('an item is retried with full jitter, up to five requests', () => {
    expect(decideRetry(status(500), tried({}), 0.5)).toEqual({ then: 'retry', inMs: 500, usesAttempt: true });
    expect(decideRetry(status(500), tried({ attempts: 5 }), 0.5)).toEqual({ then: 'settle-errored' });
    expect(decideRetry(status(401), tried({}), 0.5)).toEqual({ then: 'settle-errored' });
  });
  it('a wait requested by the provider does not use an attempt, and ends after 15 minutes', () => {
    expect(decideRetry(slowDown, tried({ attempts: 9, throttles: 1 }), 0)).toEqual({
      then: 'retry',
      inMs: 60_000,
      usesAttempt: false,
    });
    expect(decideRetry(slowDown, tried({ throttles: 9, throttledMs: 14.5 * 60_000 }), 0)).toEqual({
      then: 'settle-errored',
    });
  });
  it('waits after a 429 without a wait time grow, up to a minute', () => {
    const waits = [1, 2, 5, 7, 30].map((throttles) => decideRetry(status(429), tried({ throttles }), 1));
    expect(waits).toEqual(
      [1000, 2000, 16_000, 60_000, 60_000].map((inMs) => ({ then: 'retry', inMs, usesAttempt: false })),
    );
  });

  it.each([
    ['a quarter of an hour', '900', { then: 'rest', forMs: 900_000 }],
    ['a day', '86400', { then: 'rest', forMs: 86_400_000 }],
    ['31 days', '2678400', { then: 'rest', forMs: 2_678_400_000 }],
    ['more', '2678401', { then: 'settle-errored' }],
  ])('a wait of %s puts the model to rest, up to 31 days', (_what, seconds, decision) => {
    const failure = status(429, 'slow down', { 'retry-after': seconds });
    expect(decideRetry(failure, tried({}), 0)).toEqual(decision);
    const retryAfterMs = decision.then === 'rest' ? undefined : 15 * 60_000;
    expect(new RetryState().recordFailure(failure)).toEqual({ next: decision, ...(retryAfterMs && { retryAfterMs }) });
  });

  const waitsOf = (retries: RetryState, failures: ProviderFailure[]) =>
    failures
      .map((failure) => retries.recordFailure(failure))
      .map(({ next, retryAfterMs }) => [next.then === 'retry' ? next.inMs : next.then, retryAfterMs]);
  it('consecutive 429s are counted, and the lane waits as long as the item', () => {
    expect(waitsOf(new RetryState(() => 1), [status(429), status(429), status(429), status(500), status(429)])).toEqual(
      [
        [1000, 1000],
        [2000, 2000],
        [4000, 4000],
        [1000, undefined],
        [1000, 1000],
      ],
    );
  });
  it('failed requests are counted up to five, without 429s', () => {
    const failures = [500, 429, 502, 500, 429, 503, 500].map((code) => status(code));
    expect(waitsOf(new RetryState(() => 1), failures).map(([wait]) => wait)).toEqual([
      1000,
      1000,
      2000,
      4000,
      1000,
      8000,
      'settle-errored',
    ]);
  });
  it('all waits for 429s end after 15 minutes in total, and the lane gets the wait that the provider asked for', () => {
    const waits = waitsOf(
      new RetryState(() => 0),
      Array.from({ length: 15 }, () => slowDown),
    );
    expect(waits).toEqual([...Array.from({ length: 14 }, () => [60_000, 60_000]), ['settle-errored', 60_000]]);
  });
});

it('keys are masked in provider messages', () => {
  expect(maskKeys('Incorrect API key provided: sk-abcdefghijkl. mykey', ['mykey'])).toBe(
    'Incorrect API key provided: [hidden]. [hidden]',
  );
  expect(maskKeys('got Bearer abcdefgh12345')).toBe('got [hidden]');
});

it.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['169.254.169.254', true],
  ['::1', true],
  ['::ffff:10.0.0.1', true],
  ['fd00::1', true],
  ['0.0.0.0', true],
  ['64:ff9b::7f00:1', true],
  ['8.8.8.8', false],
  ['2606:4700::1111', false],
])('%s is a private address: %s', (address, wanted) => {
  expect(isPrivateAddress(address)).toBe(wanted);
});
