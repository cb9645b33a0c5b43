import { joinExchange } from './exchange-parts.js';

const part = (n: number, more: object) => ({
  requests: [{ messages: [`request ${n}`] }],
  replies: [`reply ${n}`],
  rounds: [0],
  conversation: [{ calls: [], user: `turn ${n}` }],
  ...more,
});
const rounds = [0, 1].map((n) => part(n, { next: [`next ${n}`], account: {} }));

it('an exchange has the rounds of its conversation in their order', () => {
  expect(joinExchange([...rounds, part(2, { round: 2, ended: { end: 'answered' } })] as never)).toEqual({
    requests: [
      { messages: ['request 0'] },
      { messages: ['request 1', 'next 0'] },
      { messages: ['request 2', 'next 1'] },
    ],
    replies: ['reply 0', 'reply 1', 'reply 2'],
    rounds: [0, 1, 2],
    conversation: [0, 1, 2].map((n) => ({ calls: [], user: `turn ${n}` })),
    ended: { end: 'answered' },
  });
});

it('without the failed round from which the conversation went on', () => {
  const whole = joinExchange(rounds as never);
  for (const failed of [part(0, {}), part(1, { round: 1, conversation: [] })])
    expect(joinExchange([...rounds, failed] as never)).toEqual(whole);
});
