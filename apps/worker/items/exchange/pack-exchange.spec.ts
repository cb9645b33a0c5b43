import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SerialisedJson } from '#lib/providers/reading/printed-json';
import type { NewExchange } from '../../scoring/exchange.js';
import { ReplyScorer, Unscorable } from '../../scoring/score-reply.js';
import { joinParts } from '#lib/db/read/exchange-parts';
import { packExchange, unpackExchange } from './pack-exchange.js';

const printed = (json: string) => new SerialisedJson(new TextEncoder().encode(json), 1);
const stored = async (exchange: NewExchange): Promise<string> =>
  zstdDecompressSync(await packExchange(exchange, 0)).toString('utf8');

it('an exchange with serialised bodies is stored as if they had been parsed', async () => {
  const requests = [{ model: 'm' }];
  const text = { choices: [{ message: { content: 'x'.repeat(300_000) } }] };
  const refusal = { error: { kind: 'rate_limited' } };
  const more = { rounds: [1, 2], names: { a_b: 'a.b' } };
  for (const rest of [{}, more])
    expect(
      await stored({ requests, replies: [refusal, printed(JSON.stringify(text)), printed('{"n":5.0}')], ...rest }),
    ).toBe(JSON.stringify({ requests, replies: [refusal, text, 'N'], ...rest }).replace('"N"', '{"n":5.0}'));
});

describe('a stored exchange', () => {
  const scorer = new ReplyScorer({ error: () => {} });
  afterAll(() => scorer.close());
  const turn = { share: 'lane', signal: new AbortController().signal };
  const large = {
    whenFree: <Made>(work: () => Promise<Made>) => work(),
    read: (packed: Buffer) => scorer.readExchange(packed, turn),
  };
  const read = (exchange: string) => unpackExchange(zstdCompressSync(exchange), large, async (found) => found);
  const exchangeOf = (content: string, more = '') =>
    `{"requests":[{"tool_choice":"required"}],"replies":[{"choices":[{"message":{"role":"assistant",` +
    `"content":"${content}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}${more}}],` +
    '"names":{"a_b":"a.b"}}';

  it('reads the same in this thread and, when large, in another thread', async () => {
    const [small, long] = [await read(exchangeOf('yes')), await read(exchangeOf('x'.repeat(300_000)))];
    const messageOf = (found: typeof small): string => {
      const { message } = found.replies![0]!;
      return message instanceof SerialisedJson ? new TextDecoder().decode(message.bytes) : JSON.stringify(message);
    };
    const many = await read(exchangeOf('yes', `,"x":[${'1,'.repeat(30_000)}1]`));
    for (const { replies } of [long, many]) expect(replies![0]!.message).toBeInstanceOf(SerialisedJson);
    expect(messageOf(many)).toBe(messageOf(small));
    expect(messageOf(long).replace(/x+/, 'yes')).toBe(messageOf(small));
    const without = ({ replies, ...rest }: typeof small) => [rest, replies!.map(({ message: _, ...reply }) => reply)];
    expect(without(long)).toEqual(without(small));
    expect(small).toMatchObject({ toolChoice: 'required', isWholeChain: false, usage: { promptTokens: 7 } });
  });

  it('in the parts of a conversation reads the same in both, also when only the sum of them is large', async () => {
    const part = (n: number, content: string): Buffer =>
      zstdCompressSync(
        JSON.stringify({
          requests: [{}],
          replies: [{ choices: [{ message: { role: 'assistant', content } }] }],
          rounds: [0],
          conversation: [{ calls: [], user: n < 2 ? 'More.' : null }],
          ...(n < 2 ? { next: [], account: {} } : { round: 2, ended: { end: 'answered' } }),
        }),
      );
    const joined = async (content: string) => {
      const parts = [0, 1, 2].map((n) => part(n, content));
      return unpackExchange(joinParts(parts.slice(0, 2), parts[2]!), large, async (found) => found);
    };
    const [small, long] = [await joined('yes'), await joined('x'.repeat(100_000))];
    for (const { message } of long.replies!) expect(message).toBeInstanceOf(SerialisedJson);
    expect(small.replies).toHaveLength(3);
    expect(long.conversation).toEqual(small.conversation);
    expect(small.conversation).toMatchObject({ end: 'answered', rounds: [{}, {}, { user: null }] });
  });

  it('of more than a million values is not scored again', async () => {
    const many = read(exchangeOf('yes', `,"x":[${'1,'.repeat(1_000_000)}1]`));
    await expect(many).rejects.toThrow(Unscorable);
    await expect(many).rejects.toThrow('The stored exchange holds more than 1,000,000 values.');
  });
});
