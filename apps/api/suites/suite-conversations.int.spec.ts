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

it('a suite has what its conversations have in common: in every format, in versions, pinned by runs', async () => {
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

it('a change of it that breaks a case is refused with the case, and its bytes count', async () => {
  const id = await importShop();
  const refused = await client.patch(`/api/tool-suites/${id}`, { conversation: null });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: '/conversation' }] } });
  expect(refused.body.errors[0].message).toMatch(/^Case 0 \("Cancel"\) would no longer be valid: /);
  const unknown = { ...conversation, tools: { refund: [{ respond: 1 }] } };
  const named = await client.patch(`/api/tool-suites/${id}`, { conversation: unknown });
  expect(named).toMatchObject({ status: 422, body: { errors: [{ path: '/conversation/tools/refund' }] } });
});

it.each<[what: string, path: string, message: RegExp, conversation: object, more?: object]>([
  ['a pointer into nothing', '/goal/state', /./, { goal: { state: { '/orders/18/status': 'cancelled' } } }],
  [
    'an effect outside of the state',
    '/tools/cancel_order/0/effects/0/path',
    /./,
    { ...cancel.conversation, tools: { cancel_order: [{ effects: [{ op: 'remove', path: '/basket/1' }] }] } },
  ],
  ['300 KiB of state', '/state', /256 KiB/, { ...cancel.conversation, state: { text: 'x'.repeat(300 * 1024) } }],
  ['a goal that names no tool', '/goal/calls/0/tool', /No tool "refund"/, { goal: { calls: [{ tool: 'refund' }] } }],
  ['a pointer that is none', '/goal/state/orders', /JSON Pointer/, { goal: { state: { orders: 1 } } }],
  ['a chain beside it', '', /conversation/, cancel.conversation, { multi_turn: true }],
])('a case with %s is refused at its place, and in a file with its line', async (_what, path, message, own, more) => {
  const id = await importShop();
  const input = { ...cancel, ...more, conversation: own };
  const added = await client.post(`/api/tool-suites/${id}/cases`, input);
  expect([400, 422]).toContain(added.status);
  const [error] = added.body.errors as { path: string; message: string }[];
  if (path) expect(error!.path).toMatch(`/conversation${path}`);
  expect(error!.message).toMatch(message);
  const { test_cases: _cases, ...suite } = shop;
  const text = `${JSON.stringify({ suite })}\n${JSON.stringify(cancel)}\n${JSON.stringify(input)}\n`;
  const file = await client.post('/api/tool-eval/import?format=jsonl', { text });
  expect(file.body.errors[0].message).toMatch(/\(line 3\)$/);
});
