// Conversations of ten rounds a second on two workers, against a model without latency, compared with the same bodies,
// message for message, as single items; and the CPU time of one round's rules. Fails below 70 % of the single items.
//   node bench/conversation/run.mjs [conversations] [concurrency] [turns]
//   node bench/conversation/run.mjs --rules: the rules alone, without a deployment
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseJson } from '#lib/contracts/json/json';
import { mergeConversation } from '#lib/scoring/conversation/merge';
import { answerCalls, beginConversation, prepareConversation } from '#lib/scoring/conversation/play';
import { schemaFault } from '#lib/scoring/conversation/schema-fault';
import { cpuMs, storeCpuMs, withSystem } from '../system.mjs';

const ROUNDS = 10;
const LEAST_RATIO = 0.7;
const given = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const [conversations = 500, concurrency = 200, turns = 3] = given.map(Number);

/** What the model `instant` calls of the example suite, and what the rules answer. */
const conversation = {
  state: { cities: { x: { weather: 'sunny', asked: [] } } },
  tools: {
    get_weather: [
      { when: { state: { '/cities/{city}': { $absent: true } } }, error: 'There is no city {city}.' },
      {
        effects: [{ op: 'add', path: '/cities/{city}/asked/-', value: { by: 'the model' } }],
        respond: { city: '{city}', weather: { $state: '/cities/{city}/weather' } },
      },
    ],
  },
  max_rounds: ROUNDS,
  goal: { calls: Array.from({ length: ROUNDS }, () => ({ tool: 'get_weather', params: { city: 'x' } })) },
};
const promptOf = (n) => `What is the weather in city ${n}?`;

/** What the request of a round has after the prompt: the calls and answers of the rounds before it. */
const messagesOf = (n, round) => [
  { role: 'user', content: promptOf(n) },
  ...Array.from({ length: round }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `call_${n}_${at}`, type: 'function', function: { name: 'get_weather', arguments: '{"city":"x"}' } },
      ],
    },
    { role: 'tool', tool_call_id: `call_${n}_${at}`, content: '{"city":"x","weather":"sunny"}' },
  ]).flat(),
];

/** CPU microseconds of the rules of one call of the shop, after some calls of the same conversation. */
function rulesUs() {
  const shop = parseJson(readFileSync('examples/shop.json', 'utf8'));
  const input = mergeConversation({ prompt: 'p', conversation: { goal: {} } }, shop.conversation);
  const prepared = prepareConversation(input, shop.tools);
  const calls = [
    ['get_order', { order: 'O-17' }],
    ['change_quantity', { order: 'O-17', product: 'P-2', quantity: 5 }],
    ['search_products', { query: 'floor lamp' }],
    ['refund_order', { order: 'O-19', reason: 'late' }],
    ['place_order', { customer: 'C-1', product: 'P-3', quantity: 2 }],
  ].map(([name, args]) => ({ name, arguments: args, malformed: false }));
  const play = () => {
    let progress = beginConversation(input.conversation);
    for (const call of calls) progress = answerCalls(prepared, progress, [call], schemaFault).progress;
  };
  for (let n = 0; n < 2000; n++) play();
  const spent = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    for (let n = 0; n < 2000; n++) play();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / (2000 * calls.length);
  });
  return Math.min(...spent);
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}`);
console.log(`CPU of one round's rules (a call of examples/shop.json): ${rulesUs().toFixed(1)} us`);
if (process.argv.includes('--rules')) process.exit(0);

let ratio;
await withSystem(async ({ simulator, api, call, start, finished }) => {
  await call('POST', '/api/providers', {
    key: 'sim',
    base_url: `${simulator.url}/v1`,
    limits: { max_concurrency: concurrency },
    models: [{ id: 'instant' }],
  });
  const example = await call('GET', '/api/tool-eval/import/example');
  const suite = async (name, test_cases) =>
    (await call('POST', '/api/tool-eval/import', { ...example, name, test_cases })).suite_id;
  const every = Array.from({ length: conversations }, (_, n) => n);
  const played = await suite(
    'Conversations',
    every.map((n) => ({ prompt: promptOf(n), conversation })),
  );
  const single = await suite(
    'Single items',
    every.flatMap((n) =>
      Array.from({ length: ROUNDS }, (_, round) => ({
        messages: messagesOf(n, round),
        expected_tool: 'get_weather',
        expected_params: { city: 'x' },
      })),
    ),
  );
  const workers = [await start('worker'), await start('worker')];
  const cpu = () => [
    workers.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    cpuMs(simulator.pid),
    cpuMs(api.pid),
    storeCpuMs('redis-server'),
    storeCpuMs('postgres'),
  ];
  /** Requests a second, and the CPU microseconds of each process for one request. */
  const run = async (suite_id) => {
    const before = cpu();
    const body = { suite_id, models: ['sim::instant'], cache: 'off', tool_choice: 'auto' };
    const seconds = await finished((await call('POST', '/api/tool-eval', body)).eval_id);
    const requests = conversations * ROUNDS;
    return {
      rate: requests / seconds,
      spent: cpu().map((ms, at) => Math.round(((ms - before[at]) * 1000) / requests)),
    };
  };
  const seen = { conversations: [], single: [] };
  for (let turn = 0; turn <= turns; turn++) {
    const [whole, apart] = [await run(played), await run(single)];
    if (turn > 0) (seen.conversations.push(whole), seen.single.push(apart)); // The first turn warms.
  }
  console.log('| | requests/s | conversations/s | CPU us a request: workers | simulator | api | Redis | Postgres |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, runs] of Object.entries(seen)) {
    const rate = median(runs.map((one) => one.rate));
    const spent = runs[0].spent.map((_, at) => median(runs.map((one) => one.spent[at])));
    const whole = name === 'single' ? '' : Math.round(rate / ROUNDS);
    console.log(`| ${[name, Math.round(rate), whole, ...spent].join(' | ')} |`);
  }
  ratio = median(seen.conversations.map(({ rate }, turn) => rate / seen.single[turn].rate));
  console.log(`Conversations reach ${Math.round(100 * ratio)} % of the same bodies as single items.`);
});
process.exit(ratio < LEAST_RATIO ? 1 : 0);
