import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import type { CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { Tool } from '#lib/contracts/tool';
import { createChatClient } from '#lib/providers/chat';
import { buildRequest } from '#lib/providers/build-request';
import { ReplyMemoryPool } from '#lib/providers/guarded/reply-memory';
import { prepare } from '../scoring/prepare-case.js';
import { ReplyScorer } from '../scoring/score-reply.js';
import { RequestTurns } from '../models/request-turns.js';
import { CasePlayer } from './play-and-score.js';
import { ItemScorer } from './score-item.js';

/** What a chain sent and stored in the release before conversations: it is never written again. */
const GOLDEN = new URL('chain-bytes.json', import.meta.url);

const tools = ['flights.find', 'prices', 'flights.book'].map((name): Tool => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters: { type: 'object', properties: {} } },
}));
const input = parseJson(`{
  "prompt": "Book the cheapest flight – für 2.", "multi_turn": true, "max_rounds": 4, "expected_tool": "flights.book",
  "expected_params": {"id": "LH1", "price": 9.50},
  "mock_responses": {"flights.find": ["LH1", {"id": "LH2", "price": 9.50}], "prices": {"LH1": 9.0}}
}`) as CaseInput;

const openai = (message: string, usage = 10): string =>
  `{"id":"r","choices":[{"index":0,"message":${message},"finish_reason":"tool_calls"}],` +
  `"usage":{"prompt_tokens":${usage},"completion_tokens":2,"total_tokens":${usage + 2}}}`;
const anthropic = (content: string): string =>
  `{"type":"message","role":"assistant","content":${content},"stop_reason":"tool_use",` +
  '"usage":{"input_tokens":10,"output_tokens":2}}';
/** Two calls of one reply, a call that is left in the text, a refusal to wait for, and the expected call. */
const REPLIES: Record<'openai' | 'anthropic', (string | { status: number; body: string })[]> = {
  openai: [
    openai(
      '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":' +
        '{"name":"flights_find","arguments":"{\\"n\\": 2.0}"}},{"id":"b","type":"function","function":' +
        '{"name":"prices","arguments":"{}"}}]}',
    ),
    openai(
      '{"role":"assistant","content":"<tool_call>{\\"name\\": \\"flights_find\\", \\"arguments\\": {}}</tool_call>"}',
    ),
    { status: 429, body: '{"error":{"message":"Slower."}}' },
    openai(
      '{"role":"assistant","content":"Now.","tool_calls":[{"id":"a","type":"function","function":' +
        '{"name":"flights_book","arguments":"{\\"id\\":\\"LH1\\",\\"price\\":9.50}"}}]}',
    ),
  ],
  anthropic: [
    anthropic(
      '[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"flights_find","input":{"n":2.0}},' +
        '{"type":"tool_use","id":"t2","name":"prices","input":{}}]',
    ),
    anthropic('[{"type":"tool_use","id":"t1","name":"flights_find","input":{}}]'),
    anthropic('[{"type":"tool_use","id":"t1","name":"flights_book","input":{"id":"LH1","price":9.50}}]'),
  ],
};

/** Plays the chain. @returns the bodies of its requests, the JSON of its exchange and its verdict */
async function play(kind: 'openai' | 'anthropic') {
  const sent: string[] = [];
  const left = [...REPLIES[kind]];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    sent.push(String(init!.body));
    const next = left.shift()!;
    const { status, body } = typeof next === 'string' ? { status: 200, body: next } : next;
    const headers = { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '0' }) };
    return new Response(body, { status, headers });
  };
  const scorer = new ReplyScorer({ error: () => {} });
  const chat = createChatClient(kind as ProviderKind, { baseUrl: 'https://api.example.com/v1', apiKey: null }, fetch);
  const connection = { chat, kind, learned: {}, lane: { id: 'lane' }, rerouted: new AbortController().signal };
  const model = { current: async () => connection, release: () => {} } as never;
  const config = {
    temperature: 0,
    max_tokens: 100,
    tool_choice: 'auto',
    timeout_s: 60,
    metrics: [],
    base_prompt: null,
  };
  const prepared = prepare(input, null, tools, 1);
  const built = buildRequest({
    config: { ...config, parallel_tool_calls: null, prompt_cache: 'off', tool_overrides: {} } as never,
    suite: { systemPrompt: 'Be brief.', tools },
    input,
    expectsNoCall: false,
    target: { name: 'p::m', modelId: 'm', params: {}, systemPrompt: null },
    model: { unsupportedParams: [], defaultParams: {}, learned: {} },
  });
  const player = new CasePlayer({
    scorer,
    firstRequests: { isAnswered: () => true, answered: () => {} },
    itemScorer: new ItemScorer({ scorer, embedder: {} as never, logger: {} as never }),
    warnings: { log: async () => {} },
    onAttempt: () => {},
    turns: new RequestTurns(),
  } as never);
  const item = {
    ...{ run: { id: 'run', config }, target: { laneId: 'lane' }, prepared },
    ...{ identity: { delivery: { runId: 'run', item: 0 } }, replyMemory: ReplyMemoryPool.of(8).forItem('lane') },
  };
  const { ended } = await player.playAndScore(
    item as never,
    { built, model, connection: connection as never, modelName: 'p::m' },
    {
      permits: () => ({ acquire: async () => ({ id: 'permit', tokens: 0 }), release: async () => false }),
      ...{ signal: new AbortController().signal, generation: 1, setActive: async () => {} },
    },
  );
  await scorer.close();
  const exchange = zstdDecompressSync(ended.exchange!).toString('utf8');
  return { sent, exchange, result: JSON.stringify(ended.result) };
}

it('a chain sends and stores, byte for byte, what it did before there were conversations', async () => {
  const made = { openai: await play('openai'), anthropic: await play('anthropic') };
  expect(made).toEqual(JSON.parse(readFileSync(GOLDEN, 'utf8')));
});
