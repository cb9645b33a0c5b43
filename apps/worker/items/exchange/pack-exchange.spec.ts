import { PrintedJson } from '#lib/providers/reading/printed-json';
import type { NewExchange } from './exchange.js';
import { packExchange, unpackExchange } from './pack-exchange.js';

const printed = (json: string) => new PrintedJson(new TextEncoder().encode(json), 1);
const stored = async (exchange: NewExchange) =>
  JSON.stringify(
    await unpackExchange(
      await packExchange(exchange, 0),
      (work) => work(),
      (found) => Promise.resolve(found),
    ),
  );

it('an exchange with printed bodies is stored as if they had been read', async () => {
  const requests = [{ model: 'm' }];
  const text = { choices: [{ message: { content: 'x'.repeat(300_000) } }] };
  const refusal = { error: { kind: 'rate_limited' } };
  const more = { rounds: [1, 2], names: { a_b: 'a.b' } };
  for (const rest of [{}, more])
    expect(
      await stored({ requests, replies: [refusal, printed(JSON.stringify(text)), printed('{"n":5.0}')], ...rest }),
    ).toBe(JSON.stringify({ requests, replies: [refusal, text, 'N'], ...rest }).replace('"N"', '{"n":5.0}'));
});
