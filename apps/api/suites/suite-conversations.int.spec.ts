import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { addUnreachableModels, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  await addUnreachableModels(client);
}, 60_000);

const tool = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: name,
    parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
});
const conversation = {
  state: { orders: { '17': { status: 'packed', total: 25.5 } } },
  tools: {
    get_order: [{ respond: { $state: '/orders/{id}' } }],
    cancel_order: [{ effects: [{ op: 'replace', path: '/orders/{id}/status', value: 'cancelled' }] }],
  },
  max_rounds: 6,
};
const cancel = {
  name: 'Cancel',
  prompt: 'Cancel order 17.',
  conversation: { goal: { calls: [{ tool: 'cancel_order' }], state: { '/orders/17/status': 'cancelled' } } },
};
const shop = { name: 'Shop', tools: [tool('get_order'), tool('cancel_order')], conversation, test_cases: [cancel] };

const importShop = (): Promise<string> => client.importSuite(shop);

it('a suite has what its conversations share, in all formats, in its versions, and pinned by its runs', async () => {
  const id = await importShop();
  expect((await client.get(`/api/tool-suites/${id}`)).body).toMatchObject({ conversation, test_cases: [cancel] });
  for (const format of ['json', 'yaml', 'jsonl', 'csv']) {
    const { body: file } = await client.get(`/api/tool-suites/${id}/export?format=${format}`);
    const to = format === 'json' ? '' : `?format=${format}`;
    const again = await client.post(`/api/tool-eval/import${to}`, format === 'json' ? file : { text: file });
    const read = await client.get(`/api/tool-suites/${again.body.suite_id}`);
    expect([format, read.body]).toMatchObject([format, { conversation, test_cases: [cancel] }]);
  }
  const run = await client.post('/api/tool-eval', { suite_id: id, models: ['sim::a'] });
  expect(run.status).toBe(202);
  const state = { orders: { '17': { status: 'sent', total: 1 } } };
  expect((await client.patch(`/api/tool-suites/${id}`, { conversation: { ...conversation, state } })).status).toBe(200);
  expect((await client.get(`/api/tool-suites/${id}/versions/1`)).body).toMatchObject({ conversation });
  expect((await client.get(`/api/tool-suites/${id}/versions/1/changes`)).body).toMatchObject({
    settings: [{ path: '/conversation/state', a: conversation.state, b: state }],
    cases: { changed: 0 },
  });
  const restored = await client.post(`/api/tool-suites/${id}/versions/1/restore`, {});
  expect(restored).toMatchObject({ status: 200, body: { version: 3, conversation } });
});

it('rules that never answer, and tools that may have no answer, are warned of wherever they are written', async () => {
  const rules = (tools: object) => ({ ...conversation, tools: { ...conversation.tools, ...tools } });
  const late = rules({ get_order: [{ respond: 'Closed.' }, { respond: { $state: '/orders/{id}' } }] });
  const open = rules({ get_order: [{ when: { call: 1 }, respond: 'Closed.' }] });
  const never = 'The rules of get_order after rule 1 never answer, because rule 1 always holds.';
  const none = expect.stringMatching(/^get_order has no last rule that always holds/);
  const { test_cases: _cases, ...suite } = shop;
  const created = await client.post('/api/tool-suites', { ...suite, conversation: late });
  expect(created).toMatchObject({ status: 201, body: { warnings: [never] } });
  const route = `/api/tool-suites/${created.body.id}`;
  const warned = async (method: 'patch' | 'put', input: object) => (await client[method](route, input)).body.warnings;
  expect(await warned('patch', { conversation: open })).toEqual([none]);
  expect(await warned('put', { ...suite, conversation: late })).toEqual([never]);
  expect(await warned('patch', { description: 'A shop' })).toEqual([]);
  expect(await warned('patch', { conversation })).toEqual([]);
  const added = await client.post(`${route}/cases`, {
    ...cancel,
    conversation: { ...cancel.conversation, tools: late.tools },
  });
  expect(added).toMatchObject({ status: 201, body: { warnings: [`The case ("Cancel"): ${never}`] } });
});

it('a tune of conversations takes all of their requests, between the least and the most', async () => {
  const id = await client.importSuite({ ...shop, test_cases: Array.from({ length: 40 }, () => cancel) });
  const run = { suite_id: id, models: ['sim::a'] };
  const { body: alone } = await client.post('/api/tool-eval/estimate', run);
  expect(alone).toMatchObject({ requests: 80, range: { requests: [40, 240] } });
  const tune = { ...run, search_space: { temperature: [0, 1] } };
  const ofTune = async (more: object = {}) =>
    (await client.post('/api/tool-eval/param-tune/estimate', { ...tune, ...more })).body;
  const whole = await ofTune();
  const [items] = whole.range.requests;
  expect(whole).toMatchObject({ requests: 2 * items, range: { requests: [items, 6 * items] }, notes: [] });
  const { notes } = await ofTune({ mode: 'grid', budget: { max_requests: items } });
  expect(notes).toEqual([expect.stringContaining(`takes ${2 * items} requests, and the budget ends it earlier`)]);
  const prompts = { ...run, meta_model: 'sim::a', mode: 'quick' };
  const { body: ofPrompts } = await client.post('/api/tool-eval/prompt-tune/estimate', prompts);
  const { range, requests, meta } = ofPrompts;
  const played = range.requests[0] - meta.requests;
  expect([requests - meta.requests, range.requests[1] - meta.requests]).toEqual([2 * played, 6 * played]);
});

it('a change of it that breaks a case is refused with the case, and a wrong one at its place', async () => {
  const id = await importShop();
  const refused = await client.patch(`/api/tool-suites/${id}`, { conversation: null });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/conversation' }] } });
  expect(refused.body.errors[0].message).toMatch(/^Case 0 \("Cancel"\) would no longer be valid: /);
  const unknown = { ...conversation, tools: { refund: [{ respond: 1 }] } };
  const named = await client.patch(`/api/tool-suites/${id}`, { conversation: unknown });
  expect(named).toMatchObject({ status: 422, body: { errors: [{ path: '/conversation/tools/refund' }] } });
  const large = await client.patch(`/api/tool-suites/${id}`, {
    conversation: { ...conversation, state: { ...conversation.state, text: 'x'.repeat(300 * 1024) } },
  });
  expect(large).toMatchObject({ status: 422, body: { errors: [{ path: '/conversation/state' }] } });
  const outside = {
    ...conversation,
    tools: { ...conversation.tools, get_order: [{ effects: [{ op: 'remove', path: '/basket/1' }] }] },
  };
  const written = await client.patch(`/api/tool-suites/${id}`, { conversation: outside });
  const imported = await client.post('/api/tool-eval/import', { ...shop, conversation: outside });
  const error = { path: '/conversation/tools/get_order/0/effects/0/path' };
  expect([written, imported]).toMatchObject([
    { status: 422, body: { errors: [error] } },
    { status: 422, body: { errors: [error] } },
  ]);
});

it.each<{ what: string; path: string; message: RegExp; input: object; status?: number }>([
  {
    what: 'a pointer into nothing',
    path: '/conversation/goal/state/~1orders~118~1status',
    message: /^leads nowhere: the state has no "\/orders\/18"/,
    input: { conversation: { goal: { state: { '/orders/18/status': 'cancelled' } } } },
  },
  {
    what: 'an effect outside of the state',
    path: '/conversation/tools/cancel_order/0/effects/0/path',
    message: /^leads nowhere: the state has no "\/basket"/,
    input: {
      conversation: {
        ...cancel.conversation,
        tools: { cancel_order: [{ effects: [{ op: 'remove', path: '/basket/1' }] }] },
      },
    },
  },
  {
    what: '300 KiB of state',
    path: '/conversation/state',
    message: /^makes a state of 301 KiB of JSON, which is more than 256 KiB/,
    input: { conversation: { ...cancel.conversation, state: { text: 'x'.repeat(300 * 1024) } } },
  },
  {
    what: 'a goal that names no tool',
    path: '/conversation/goal/calls/0/tool',
    message: /^No tool "refund" among those that the model is offered\. Its tools: get_order, cancel_order\./,
    input: { conversation: { goal: { calls: [{ tool: 'refund' }] } } },
  },
  {
    what: 'a pointer that is none',
    path: '/conversation/goal/state/orders',
    status: 400, // Its form is wrong.
    message: /JSON Pointer/,
    input: { conversation: { goal: { state: { orders: 1 } } } },
  },
  {
    what: 'a chain beside it',
    path: '/multi_turn',
    message: /^cannot be combined with "conversation"/,
    input: { multi_turn: true },
  },
])(
  'a case with $what is refused at its place, and in a file with its line',
  async ({ path, message, input: own, status = 422 }) => {
    const id = await importShop();
    const input = { ...cancel, ...own };
    const error = { path, message: expect.stringMatching(message) };
    const added = await client.post(`/api/tool-suites/${id}/cases`, input);
    expect([added.status, added.body.errors[0]]).toEqual([status, error]);
    const { test_cases: _cases, ...suite } = shop;
    const lines = `${JSON.stringify({ suite })}\n${JSON.stringify(cancel)}\n${JSON.stringify(input)}\n`;
    const asLines = await client.post('/api/tool-eval/import?format=jsonl', { text: lines });
    expect(asLines.body.errors[0].message).toMatch(/\(line 3\)$/);
    const yaml = [
      `name: Shop`,
      `tools: ${JSON.stringify(shop.tools)}`,
      `conversation: ${JSON.stringify(conversation)}`,
      `test_cases:`,
      `  - ${JSON.stringify(cancel)}`,
      `  -`,
      `    ${JSON.stringify(input)}`,
    ].join('\n');
    const asYaml = await client.post('/api/tool-eval/import?format=yaml', { text: yaml });
    expect([asYaml.status, asYaml.body.errors[0]]).toEqual([
      status,
      { path: `/test_cases/1${path}`, message: expect.stringMatching(/\(line 7\)$/) },
    ]);
  },
);
