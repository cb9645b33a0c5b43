import type { ExplainedResult } from '#lib/client/api-client';
import type { ReplyText } from '#lib/contracts/result';
import { replyTextLines } from './reply-text-lines.js';

const reply = (more: Partial<ReplyText>): ReplyText => ({
  text: null,
  thoughts: null,
  refusal: null,
  finish_reason: 'stop',
  ...more,
});
const lines = (result: object, isFull = false) =>
  replyTextLines({ outcome: 'scored', error: null, exchange: null, ...result } as ExplainedResult, isFull);

describe('of a result, the command prints', () => {
  it('the text and finish reason of each round, with shortened thoughts', () => {
    const thoughts = Array.from({ length: 9 }, (_, n) => `thought ${n}`).join('\n');
    const said = [reply({ text: 'One.\nTwo.', thoughts }), reply({ refusal: 'No.', finish_reason: null })];
    expect(lines({ said })).toEqual([
      'Round 1',
      'Said',
      '  One.',
      '  Two.',
      'Thoughts',
      ...[0, 1, 2, 3, 4].map((n) => `  thought ${n}`),
      '  ... 40 more characters; --full shows them',
      'Finished   stop',
      'Round 2',
      'Said       no text',
      'Refusal',
      '  No.',
      'Finished   for a reason that the provider does not give',
    ]);
    expect(lines({ said }, true)).toContain('  thought 8');
  });

  it('an error with the last body that this user may see, and no texts', () => {
    const failure = (more: object) => ({ error: { kind: 'bad_response', message: 'no reply', status: 200, ...more } });
    const errored = (...replies: object[]) =>
      lines({
        outcome: 'errored',
        said: [],
        error: { kind: 'bad_response', message: 'no reply' },
        exchange: { requests: [], replies },
      });
    const error = 'Error      bad response: no reply';
    expect(errored(failure({ body: 'first' }), failure({ body: null, private_body: '{"model":\n"loading"}' }))).toEqual(
      [error, 'Body       of the last response:', '  {"model":', '  "loading"}'],
    );
    expect([errored(failure({ body: null })), errored()]).toEqual([[error], [error]]);
    expect(errored(failure({ body: 'x'.repeat(50_000) })).at(-1)).toBe(
      '  ... 49,400 more characters; --full shows them',
    );
  });

  it('that replies are no longer stored, or are not sent by a server of an earlier release', () => {
    expect([lines({ said: [] }), lines({})]).toEqual([['Said       no longer stored'], []]);
  });
});
