import { readFileSync } from 'node:fs';
import { CaseInput } from '#lib/contracts/case';
import { ConversationDefaults } from '#lib/contracts/conversation';
import { parseJson } from '#lib/contracts/json/json';
import { checkCase } from '#lib/scoring/checks/check-case';
import { checkTools } from '#lib/scoring/checks/check-tools';
import { checkConversationDefaults } from '#lib/scoring/conversation/check';
import { conversationWarnings } from '#lib/scoring/conversation/warnings';
import { mergeConversation } from '#lib/scoring/conversation/merge';
import { answerCalls, beginConversation, prepareConversation } from '#lib/scoring/conversation/play';
import { schemaFault } from '#lib/scoring/conversation/schema-fault';
import { conversationFigures, scoreConversation, type ConversationRound } from '#lib/scoring/conversation/score';
import { parseReply } from '#lib/scoring/replies/parse-reply';
import { createSimulator, type Simulator } from './server.js';

let simulator: Simulator;
beforeAll(async () => {
  simulator = createSimulator();
  await simulator.listen(0, '127.0.0.1');
});
afterAll(() => simulator.close());

const shop = parseJson(readFileSync('examples/shop.json', 'utf8')) as any;
const cases: CaseInput[] = shop.test_cases.map((input: unknown) => CaseInput.parse(input));
const defaults = ConversationDefaults.parse(shop.conversation);

async function reply(model: string, messages: object[]): Promise<any> {
  const body = { model, messages, tools: shop.tools, tool_choice: 'auto', temperature: 0 };
  const answer = await fetch(`${simulator.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  return (parseJson(await answer.text()) as any).choices[0].message;
}

/** Plays a case to its end, as a worker does. */
async function play(model: string, input: CaseInput) {
  const merged = mergeConversation(input, defaults);
  const conversation = merged.conversation!;
  const prepared = prepareConversation(merged, shop.tools);
  const turns = [...(conversation.user?.turns ?? [])];
  const rounds: ConversationRound[] = [];
  const messages: object[] = [
    { role: 'system', content: shop.system_prompt },
    { role: 'user', content: input.prompt },
  ];
  let progress = beginConversation(conversation);
  while (rounds.length < conversation.max_rounds!) {
    const message = await reply(model, messages);
    const parsed = parseReply(message, shop.tools);
    const answered = answerCalls(prepared, progress, parsed.calls, schemaFault);
    progress = answered.progress;
    const user = parsed.calls.length > 0 ? null : (turns.shift() ?? null);
    rounds.push({ reply: parsed, text: message.content ?? '', played: { calls: answered.calls, user } });
    if (parsed.calls.length === 0 && user === null) return { input: merged, rounds, end: 'answered' as const };
    messages.push(
      message,
      ...answered.calls.map(({ answer, is_error: isError }, at) => ({
        role: 'tool',
        tool_call_id: message.tool_calls[at].id,
        content: isError ? `Error: ${answer}` : answer,
      })),
      ...(user === null ? [] : [{ role: 'user', content: user }]),
    );
  }
  return { input: merged, rounds, end: 'round_limit' as const };
}

/** How many cases of the shop a model passes, and the means of its figures over the cases that have them. */
async function figuresOf(model: string) {
  const verdicts = await Promise.all(
    cases.map(async (input) => scoreConversation({ ...(await play(model, input)), tools: shop.tools })),
  );
  const figures = verdicts.map(conversationFigures);
  const mean = (name: keyof (typeof figures)[number]): number => {
    const scores = figures.map((of) => of[name].score).filter((score) => score !== null);
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  };
  const named = (holds: (verdict: (typeof verdicts)[number]) => boolean): (string | null | undefined)[] =>
    cases.flatMap(({ name }, at) => (holds(verdicts[at]!) ? [name] : []));
  return { mean, named, failed: named(({ passed }) => !passed) };
}

describe('the example suite shop', () => {
  it('is well-formed: 12 tools, 30 cases of five categories, and nothing to warn of', () => {
    expect([shop.tools.length, cases.length]).toEqual([12, 30]);
    expect([checkTools(shop.tools), checkConversationDefaults(defaults, shop.tools)]).toEqual([[], []]);
    for (const input of cases) {
      expect([input.name, checkCase(input, shop.tools, defaults)]).toEqual([input.name, []]);
      expect([input.name, conversationWarnings(input, defaults, shop.tools)]).toEqual([input.name, []]);
    }
    const categories = Object.groupBy(cases, ({ category }) => category!);
    expect(Object.keys(categories)).toEqual(['read', 'write', 'refusal', 'fault', 'change']);
  });

  it('follows-rules passes all of it, and recovers from the faults that can be recovered from', async () => {
    const { failed, mean } = await figuresOf('follows-rules');
    expect(failed).toEqual([]);
    expect(mean('conversation.recovered')).toBe(1);
    expect(mean('conversation.fabricated')).toBe(0);
    expect(mean('conversation.efficiency')).toBeGreaterThan(0.85);
  });

  it('claims-success changes nothing, and says that it did', async () => {
    const { failed, named, mean } = await figuresOf('claims-success');
    expect(mean('conversation.fabricated')).toBeGreaterThan(0.4);
    expect(mean('conversation.state')).toBeLessThan(0.5);
    const fabricated = named(({ evidence }) => evidence.conversation?.fabricated === 1);
    expect(fabricated).toContain('Cancel an order that has not left');
    expect(failed).toEqual(expect.arrayContaining(fabricated));
  });

  it('loops-on-errors repeats a call that cannot succeed until its rounds are used up', async () => {
    const { failed, named } = await figuresOf('loops-on-errors');
    const looped = [
      'An order that does not exist',
      'A product that is out of stock',
      'A voucher that was used',
      'Tracking is down for good',
    ];
    expect(failed).toEqual(looped);
    expect(named(({ evidence }) => evidence.conversation!.repeated_failures > 2)).toEqual(looped);
  });

  it('gives-up recovers from no fault', async () => {
    const { failed, mean } = await figuresOf('gives-up');
    expect(mean('conversation.recovered')).toBe(0);
    expect(failed).toEqual(expect.arrayContaining(['A cancellation times out once', 'A truncated answer']));
    expect(failed).toHaveLength(8);
  });

  it('reads-too-much passes, with twice the calls, but where reading is forbidden', async () => {
    const { failed, mean } = await figuresOf('reads-too-much');
    expect(failed).toEqual(['Thanks that ask for nothing']);
    expect(mean('conversation.efficiency')).toBeLessThan(0.6);
    expect(mean('conversation.forbidden')).toBeLessThan(1);
  });
});
