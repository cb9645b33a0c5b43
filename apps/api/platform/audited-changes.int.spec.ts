import { settleRun } from '#lib/db/testing/settled-run';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { weatherSuite, type Client } from '../../../test/client.js';

/** Part of every text that people write here. */
const WRITTEN = 'zanzibar';
const DIGEST = /^sha256:[0-9a-f]{12} \([\d,]+ characters\)$/;
const digest = expect.stringMatching(DIGEST);
const tool = (name: string, about = '') => ({
  type: 'function',
  function: { name, description: `${WRITTEN} ${about}`, parameters: { type: 'object', properties: {} } },
});

let api: SharedApi;
let client: Client;
let suiteId: string;
/** A completed run of the suite, with results. */
let runId: string;

beforeAll(async () => {
  api = await joinIdleApi();
  ({ client } = api);
  await client.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }] });
  suiteId = (await client.post('/api/tool-eval/import', weatherSuite(2))).body.suite_id;
  runId = await aCompletedRun();
}, 60_000);

async function aCompletedRun(): Promise<string> {
  const { body } = await client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], name: 'first' });
  await settleRun(api.pool, body.eval_id, [1, 0]);
  for (const sql of [
    'UPDATE target SET summary = NULL, finished_at = NULL WHERE run_id = $1::uuid',
    `UPDATE run SET status = 'completed', score = 0.5, finished_at = now() WHERE id = $1::uuid`,
    `UPDATE job SET status = 'completed', finished_at = now() WHERE result_ref = $1`,
  ])
    await api.pool.query(sql, [body.eval_id]);
  return body.eval_id;
}

interface Entry {
  action: string;
  subject: string;
  /** Before and after by field. */
  changes: Record<string, [unknown, unknown]>;
}

async function entriesAfter(id: string): Promise<Entry[]> {
  const { rows } = await api.pool.query<{ action: string; subject: string; changes: string | null }>(
    'SELECT action, subject, changes FROM audit WHERE team_id = $1 AND id > $2 ORDER BY id',
    [api.teamId, id],
  );
  return rows.map(({ action, subject, changes }) => {
    const fields = JSON.parse(changes ?? '[]') as { field: string; before: unknown; after: unknown }[];
    return { action, subject, changes: Object.fromEntries(fields.map((one) => [one.field, [one.before, one.after]])) };
  });
}
const newest = async (): Promise<string> =>
  (await api.pool.query('SELECT max(id::text) AS id FROM audit WHERE team_id = $1', [api.teamId])).rows[0].id;

/** What some changes left in the audit. */
async function entriesOf(...changes: (() => Promise<{ status: number; body: any }>)[]): Promise<Entry[]> {
  const before = await newest();
  for (const [n, change] of changes.entries()) {
    const { status, body } = await change();
    if (status >= 300) throw new Error(`The change ${n} was answered ${status} ${JSON.stringify(body)}.`);
  }
  const entries = await entriesAfter(before);
  expect(entries).toHaveLength(changes.length);
  expect(JSON.stringify(entries)).not.toContain(WRITTEN);
  return entries;
}

it('an entry says what a change made of a suite and its cases, with digests of their texts', async () => {
  const made = await client.post('/api/tool-suites', { name: 'Trips', tools: [tool('book')] });
  const suite = `/api/tool-suites/${made.body.id}`;
  const prompt = `${WRITTEN}: where to?`;
  const added = await client.post(`${suite}/cases`, { name: 'far', prompt, expected_tool: 'book' });
  const entries = await entriesOf(
    () => client.patch(suite, { name: 'Journeys', tools: [tool('book', 'again')], system_prompt: `${WRITTEN} it is` }),
    () => client.patch(suite, { name: 'Journeys' }),
    () =>
      client.post(`${suite}/cases`, [
        { prompt, expected_tool: 'book' },
        { prompt, expected_tool: null },
      ]),
    () => client.put(`${suite}/cases/${added.body.id}`, { name: 'near', prompt: `${prompt}?`, expected_tool: 'book' }),
    () => client.delete(`${suite}/cases/${added.body.id}`),
    () => client.delete(suite),
  );
  expect(entries).toEqual([
    {
      action: 'suite.update',
      subject: made.body.id,
      changes: {
        name: ['Trips', 'Journeys'],
        tools: [digest, digest],
        system_prompt: [null, digest],
        version: [2, 3],
      },
    },
    { action: 'suite.update', subject: made.body.id, changes: { version: [3, 4] } },
    { action: 'suite.add-cases', subject: made.body.id, changes: { cases: [1, 3], version: [4, 5] } },
    {
      action: 'suite.replace-case',
      subject: `${made.body.id} ${added.body.id}`,
      changes: { name: ['far', 'near'], body: [digest, digest] },
    },
    {
      action: 'suite.delete-case',
      subject: `${made.body.id} ${added.body.id}`,
      changes: { position: [0, null], name: ['near', null], tags: [[], null], body: [digest, null] },
    },
    {
      action: 'suite.delete',
      subject: made.body.id,
      changes: { name: ['Journeys', null], version: [7, null], tools: [digest, null], cases: [2, null] },
    },
  ]);
  const [before, after] = entries[0]!.changes.tools!;
  expect(before).not.toBe(after);
});

it('restoring a version of a suite says what came back', async () => {
  await client.patch(`/api/tool-suites/${suiteId}`, { pass_threshold: 0.5 });
  await client.post(`/api/tool-suites/${suiteId}/cases`, { prompt: WRITTEN, expected_tool: null });
  const [entry] = await entriesOf(() => client.post(`/api/tool-suites/${suiteId}/versions/1/restore`));
  expect(entry).toMatchObject({
    action: 'suite.restore',
    changes: { version: [3, 4], pass_threshold: [0.5, 1], cases: [3, 2], restored_version: [null, 1] },
  });
});

it('an entry says what was asked of runs, and what changed of what people keep of them', async () => {
  const note = `${WRITTEN} was tried`;
  const result = `/api/tool-eval/history/${runId}/results/0-0-0`;
  const other = await aCompletedRun();
  const more = { system_prompt: note, params: { stop: [note] }, budget: { max_requests: 50 } };
  const version = await client.post('/api/prompt-versions', {
    suite_id: suiteId,
    label: 'short',
    components: { system_prompt: note },
  });
  const entries = await entriesOf(
    () => client.post('/api/tool-eval', { suite_id: suiteId, models: ['sim::a'], samples: 3, name: 'second', ...more }),
    () => client.patch(`/api/tool-eval/history/${runId}`, { name: 'renamed', note }),
    () => client.put(`${result}/note`, { text: note }),
    () => client.put(`${result}/note`, { text: `${note} twice` }),
    () => client.delete(`${result}/note`),
    () => client.put(`${result}/label`, { label: 'correct' }),
    () => client.put(`${result}/label`, { label: 'wrong', note }),
    () => client.delete(`${result}/label`),
    () => client.patch(`/api/me/marks/run/${runId}`, { tags: ['b', 'a'] }),
    () => client.put('/api/me/views/runs', { order: { by: 'name' } }),
    () => client.patch(`/api/prompt-versions/${version.body.id}`, { label: 'shorter', tags: ['live'] }),
    () => client.delete(`/api/tool-eval/history/${other}`),
  );
  expect(entries).toEqual([
    {
      action: 'run.submit',
      subject: expect.anything(),
      changes: {
        name: [null, 'second'],
        suite_id: [null, suiteId],
        suite_version: [null, 4],
        models: [null, ['sim::a']],
        samples: [null, 3],
        items: [null, 6],
        'budget.max_requests': [null, 50],
        cache: [null, 'off'],
      },
    },
    { action: 'run.update', subject: runId, changes: { name: ['first', 'renamed'], note: [null, digest] } },
    ...[
      { action: 'note.put', changes: { text: [null, digest] } },
      { action: 'note.put', changes: { text: [digest, digest] } },
      { action: 'note.delete', changes: { text: [digest, null] } },
      { action: 'label.put', changes: { label: [null, 'correct'] } },
      { action: 'label.put', changes: { label: ['correct', 'wrong'], note: [null, digest] } },
      { action: 'label.delete', changes: { label: ['wrong', null], note: [digest, null] } },
    ].map((entry) => ({ ...entry, subject: `${runId} 0-0-0` })),
    { action: 'mark.update', subject: `run ${runId}`, changes: { tags: [[], ['a', 'b']] } },
    { action: 'view.put', subject: 'runs', changes: { 'order.by': [null, 'name'], 'order.descending': [null, false] } },
    {
      action: 'prompt_version.update',
      subject: version.body.id,
      changes: { label: ['short', 'shorter'], tags: [[], ['live']] },
    },
    {
      action: 'run.delete',
      subject: other,
      changes: expect.objectContaining({
        name: ['first', null],
        suite_id: [suiteId, null],
        status: ['completed', null],
      }),
    },
  ]);
});

it('an entry says what decides: rules and baselines before and after', async () => {
  const [other, baseline] = [await aCompletedRun(), { eval_id: runId }];
  const gate = await client.post('/api/gates', { name: 'ship', suite_id: suiteId, baseline });
  const input = { name: 'e', suite_id: suiteId, baseline_eval_id: runId };
  const experiment = await client.post('/api/experiments', input);
  const entries = await entriesOf(
    () => client.put(`/api/gates/${gate.body.id}`, { margin: 0.1, baseline: { eval_id: other } }),
    () => client.post(`/api/gates/${gate.body.id}/run`, {}),
    () => client.put(`/api/experiments/${experiment.body.id}/baseline`, { eval_id: other }),
    () => client.put('/api/settings/judge', { judge: 'sim::a', instructions: WRITTEN, auto_below: 0.5 }),
  );
  expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
    ['gate.update', { version: [1, 2], margin: [0.02, 0.1], 'baseline.eval_id': [runId, other] }],
    ['gate.run', expect.objectContaining({ version: [null, 2], baseline_eval_id: [null, other], samples: [null, 1] })],
    ['experiment.baseline', { eval_id: [runId, other] }],
    ['settings.judge', { judge: [null, 'sim::a'], instructions: [digest, digest], auto_below: [0, 0.5] }],
  ]);
});

it('of changes at the same instant, each entry begins where another one ends', async () => {
  const gate = await client.post('/api/gates', { name: 'gate', suite_id: suiteId, baseline: { eval_id: runId } });
  const experiment = await client.post('/api/experiments', { name: 'e', suite_id: suiteId });
  const version = { suite_id: suiteId, components: { system_prompt: 'x' }, label: 'l' };
  const prompt = await client.post('/api/prompt-versions', version);
  const result = `/api/tool-eval/history/${runId}/results/0-1-0`;
  const changes: Record<string, (n: number) => Promise<{ status: number }>> = {
    'suite.update name': (n) => client.patch(`/api/tool-suites/${suiteId}`, { name: `suite ${n}` }),
    'run.update name': (n) => client.patch(`/api/tool-eval/history/${runId}`, { name: `run ${n}` }),
    'gate.update name': (n) => client.put(`/api/gates/${gate.body.id}`, { name: `gate ${n}` }),
    'experiment.update name': (n) => client.put(`/api/experiments/${experiment.body.id}`, { name: `e ${n}` }),
    'prompt_version.update label': (n) => client.patch(`/api/prompt-versions/${prompt.body.id}`, { label: `l ${n}` }),
    'note.put text': (n) => client.put(`${result}/note`, { text: `text ${n}` }),
    'label.put note': (n) => client.put(`${result}/label`, { label: 'wrong', note: `note ${n}` }),
    'mark.update tags': (n) => client.patch(`/api/me/marks/suite/${suiteId}`, { tags: [`${n}`] }),
    'view.put hidden': (n) => client.put('/api/me/views/suites', { hidden: [`${n}`] }),
    'settings.judge auto_below': (n) => client.put('/api/settings/judge', { judge: 'sim::a', auto_below: n / 10 }),
  };
  const before = await newest();
  const sent = Object.entries(changes).flatMap(([name, change]) =>
    [1, 2, 3, 4].map(async (n) => [name, (await change(n)).status]),
  );
  expect((await Promise.all(sent)).filter(([, status]) => status !== 200)).toEqual([]);
  const entries = await entriesAfter(before);
  for (const name of Object.keys(changes)) {
    const [action, field] = name.split(' ') as [string, string];
    const steps = entries.filter((entry) => entry.action === action).map((entry) => entry.changes[field]!);
    expect([name, steps.map(([from]) => from).slice(1)]).toEqual([name, steps.map(([, to]) => to).slice(0, -1)]);
    expect(steps).toHaveLength(4);
  }
});
