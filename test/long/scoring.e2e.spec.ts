import { SCORING_VERSION } from '#lib/contracts/values/verdicts';
import type { Client } from '../client.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobEnded, untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let client: Client;
let sql: TeamSystem['sql'];
let system: TeamSystem;
beforeAll(async () => {
  system = await joinSystem();
  ({ client, sql } = system);
  await client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: ['scripted:a', 'scripted:b', 'embeddings'].map((id) => ({ id })),
  });
});

const tool = {
  type: 'function',
  function: {
    name: 'note',
    parameters: { type: 'object', properties: { text: { type: 'string' }, at: { type: 'number' } } },
  },
};
const call = (args: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'note', arguments: args } }],
});
const script = (id: string, byPrompt: Record<string, object>) => system.script(id, { by_prompt: byPrompt });

async function suiteOf(test_cases: object[]): Promise<string> {
  return client.importSuite({ name: 'notes', tools: [tool], test_cases });
}
async function run(suite_id: string, models: string[], more: object = {}) {
  const { status, body } = await client.post('/api/tool-eval', { suite_id, models, cache: 'off', ...more });
  expect([status, body.detail]).toEqual([202, undefined]);
  return untilRunCompleted(client, body.eval_id);
}
const resultsOf = async (evalId: string, query = '') =>
  (await client.get(`/api/tool-eval/history/${evalId}/results?limit=200${query}`)).body.items;

describe('compatible metrics of a run', () => {
  it('are listed with their reference, version, options, input, meaning and an example', async () => {
    const { body } = await client.get('/api/metrics');
    const axion = body.items.find((metric: any) => metric.id === 'axion_tool_correctness');
    expect(axion).toMatchObject({
      reference: expect.stringMatching(/Axion/),
      version: expect.any(String),
      meaning: expect.any(String),
    });
    expect(axion.options.properties.scoring).toMatchObject({ enum: ['recall', 'precision', 'f1'], default: 'recall' });
    expect(axion.input).toMatchObject({ required: ['called', 'expected'], additionalProperties: false });
    expect(axion.example).toMatchObject({ metric: axion.id, input: { called: [{ name: 'weather' }] } });
  });

  it('appear with the house score of each result and model, and in every export', async () => {
    await script('a', { one: call('{"text":"buy milk","at":5.0}'), two: call('{"text":"other"}') });
    const suite = await suiteOf([
      { prompt: 'one', expected_tool: 'note', expected_params: { text: 'buy milk', at: 5 } },
      { prompt: 'two', expected_tool: 'note', expected_params: { text: 'sell milk' } },
    ]);
    const metrics = [
      { id: 'ragas_tool_call_f1' },
      { id: 'axion_tool_correctness', options: { check_parameters: true } },
      { id: 'promptfoo_tool_call_f1' },
    ];
    const done = await run(suite, ['scripted:a'], { metrics });
    expect(done.config.metrics[1]).toMatchObject({
      id: 'axion_tool_correctness',
      options: { check_parameters: true, scoring: 'recall' },
    });
    const results = await resultsOf(done.id);
    const of = (prompt: string) => results.find((result: any) => result.prompt === prompt).metrics;
    expect(of('two')).toMatchObject({
      ragas_tool_call_f1: { score: 0 },
      axion_tool_correctness: { score: 0 },
      promptfoo_tool_call_f1: { score: 1 },
    });
    expect(of('one').promptfoo_tool_call_f1.score).toBe(1);
    expect(done.summaries[0].metrics.promptfoo_tool_call_f1).toMatchObject({ mean: 1, scored: 2, not_applicable: 0 });
    expect(done.summaries[0].metrics.ragas_tool_call_f1.ci).toHaveLength(2);
    const csv = (await client.get(`/api/tool-eval/history/${done.id}/export?format=csv`)).body.split('\r\n');
    expect(csv[0]).toMatch(/,ragas_tool_call_f1,axion_tool_correctness,promptfoo_tool_call_f1,syntax,tags,/);
    expect(csv.slice(1, 3).map((line: string) => line.split(',').at(-13))).toEqual(['1', '1']);
    const [line] = (await client.get(`/api/tool-eval/history/${done.id}/export?format=jsonl`)).body.split('\n');
    expect(Object.keys(JSON.parse(line).metrics)).toEqual(metrics.map((metric) => metric.id));
  }, 60_000);

  it('have their own names when one metric is requested with several options, also after a rescore', async () => {
    await script('a', {
      swapped: {
        role: 'assistant',
        content: null,
        tool_calls: ['2', '1'].map((text) => call(`{"text":"${text}"}`).tool_calls[0]),
      },
    });
    const suite = await suiteOf([
      { prompt: 'swapped', expected_calls: ['1', '2'].map((text) => ({ tool: 'note', params: { text } })) },
    ]);
    const id = 'ragas_tool_call_accuracy';
    const done = await run(suite, ['scripted:a'], {
      metrics: [
        id,
        { id, as: 'any-order', options: { strict_order: false } },
        { id: 'ragas_tool_call_f1', as: '__proto__' },
      ],
    });
    expect(done.config.metrics).toEqual([
      { id, as: 'any-order', version: '0.4.3', options: { strict_order: false } },
      expect.objectContaining({ as: '__proto__' }),
      { id, as: id, version: '0.4.3', options: { strict_order: true } },
    ]);
    const names = ['any-order', '__proto__', id];
    const scores = (metrics: Record<string, any>, of: string) =>
      names.map((name) => Object.getOwnPropertyDescriptor(metrics, name)?.value[of]);
    expect(scores(done.summaries[0].metrics, 'mean')).toEqual([1, 1, 0]);
    expect(scores((await resultsOf(done.id))[0].metrics, 'score')).toEqual([1, 1, 0]);
    const csv = (await client.get(`/api/tool-eval/history/${done.id}/export?format=csv`)).body.split('\r\n');
    expect(csv.slice(0, 2).map((line: string) => line.split(',').slice(-16, -6))).toEqual([
      ['tool_choice_used', ...names, 'syntax', 'tags', 'suite_version', 'source', 'cached', 'finish_reason'],
      ['required', '1', '1', '0', '', '', '1', '', 'false', 'tool_calls'],
    ]);
    const { rescore_id } = (await client.post(`/api/tool-eval/history/${done.id}/rescore`, {})).body;
    const again = await until(
      async () =>
        (await client.get(`/api/tool-eval/history/${done.id}/rescores`)).body.items.find(
          (one: any) => one.id === rescore_id && one.status === 'completed',
        ),
      { what: 'the rescore' },
    );
    expect(scores(again.summaries[0].metrics, 'mean')).toEqual([1, 1, 0]);
    expect(again.options.metrics).toEqual(done.config.metrics);
  }, 60_000);

  it('are refused with a list of valid ones if they do not exist, or not with these options', async () => {
    const suite_id = await suiteOf([{ prompt: 'one', expected_tool: 'note' }]);
    const refused = async (metrics: unknown[]) =>
      (await client.post('/api/tool-eval', { suite_id, models: ['scripted:a'], metrics })).body;
    expect(await refused([{ id: 'ragas_f1' }])).toMatchObject({
      status: 422,
      errors: [{ path: '/metrics/0/id', message: expect.stringMatching(/Nearest of .*ragas_tool_call_f1/) }],
    });
    expect(await refused(['ragas_tool_call_f1', 'pass_hat_k'])).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/cannot score a run.*"samples"/),
      errors: [{ path: '/metrics/1' }],
    });
    expect(await refused([{ id: 'bfcl_ast', as: 'passed' }])).toMatchObject({
      status: 422,
      errors: [{ path: '/metrics/0/as', message: expect.stringMatching(/column/) }],
    });
    expect(await refused([{ id: 'bfcl_ast', as: 'a b' }])).toMatchObject({
      status: 400,
      errors: [{ path: '/metrics/0/as', message: expect.stringMatching(/letters/) }],
    });
    expect(await refused([5])).toMatchObject({
      status: 400,
      errors: [{ path: '/metrics/0', message: 'must be of one of the types string, object' }],
    });
    expect(await refused([{ id: 'ragas_tool_call_f1', options: { k: 1 } }])).toMatchObject({
      status: 422,
      errors: [{ path: '/metrics/0/options/k' }],
    });
  });
});

describe('comparing by meaning', () => {
  const semantic = (threshold: number) => ({
    prompt: 'mean',
    expected_tool: 'note',
    expected_params: { text: 'buy some fresh milk' },
    scoring_config: { mode: 'semantic', threshold },
  });

  it('needs an embedding model, and says so before any request', async () => {
    const suite_id = await suiteOf([semantic(0.5)]);
    const refused = await client.post('/api/tool-eval', { suite_id, models: ['scripted:b'] });
    expect(refused.body).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/has no embedding model\. An owner can set one/),
    });
    const unknown = await client.put('/api/settings/embedding', { provider_key: 'sim', model_id: 'nope' });
    expect(unknown.status).toBe(422);
  });

  it("uses the team's configured model, which gets each text once", async () => {
    await script('b', { mean: call('{"text":"buy fresh milk"}') });
    const setting = { provider_key: 'sim', model_id: 'embeddings' };
    expect((await client.put('/api/settings/embedding', setting)).body).toEqual(setting);
    expect((await client.get('/api/settings/embedding')).body).toEqual(setting);
    const suite = await suiteOf([semantic(0.5), semantic(0.99)]);
    const done = await run(suite, ['scripted:b'], { samples: 3 });
    expect((await resultsOf(done.id)).map((result: any) => result.passed).sort()).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(done.counts.errored).toBe(0);
    const asked = await system.requests('embeddings');
    expect(asked).toBeLessThanOrEqual(system.workers.length); // Two workers that need a text at once both request it.
    await run(suite, ['scripted:b']);
    expect(await system.requests('embeddings')).toBe(asked);
  }, 60_000);

  it('leaves an item without a score when the embedding model fails, and keeps the reply', async () => {
    await client.post('/api/providers', {
      key: 'broken',
      base_url: `${system.simulator.url}/v1`,
      models: [{ id: 'wrong-key' }],
    });
    await client.put('/api/settings/embedding', { provider_key: 'broken', model_id: 'wrong-key' });
    const done = await run(await suiteOf([semantic(0.5)]), ['scripted:b']);
    const [result] = await resultsOf(done.id);
    expect(result).toMatchObject({
      outcome: 'errored',
      passed: false,
      error: { message: expect.stringMatching(/embedding model failed/) },
    });
    const { exchange } = (await client.get(`/api/tool-eval/history/${done.id}/results/${result.id}`)).body;
    expect(exchange.replies).toHaveLength(1);
    await client.put('/api/settings/embedding', { provider_key: 'sim', model_id: 'embeddings' });
  }, 60_000);
});

describe('scoring a run again', () => {
  const rescored = async (evalId: string, options: object) => {
    const { status, body } = await client.post(`/api/tool-eval/history/${evalId}/rescore`, options);
    expect([status, body.detail]).toEqual([202, undefined]);
    return { job: await untilJobEnded(client, body.job_id), id: body.rescore_id as string };
  };
  const scripted = () => system.requests('scripted:a');

  it('by other rules makes no request, and keeps both sets of verdicts', async () => {
    await script('a', { fresh: call('{"text":"The Milk","at":5.0}') });
    const cases = Array.from({ length: 250 }, () => ({
      prompt: 'fresh',
      expected_tool: 'note',
      expected_params: { text: 'milk', at: 5 },
    }));
    const done = await run(await suiteOf(cases), ['scripted:a'], { samples: 2 });
    expect(done.summaries[0]).toMatchObject({ overall: expect.closeTo(0.8), passed: 0 });
    const before = await scripted();
    const { job, id } = await rescored(done.id, {
      scoring_config: { mode: 'contains' },
      metrics: [{ id: 'ragas_tool_call_f1' }],
    });
    expect(job).toMatchObject({
      type: 'rescore',
      status: 'completed',
      result_ref: id,
      progress: { done: 500, total: 500, errored: 0, percent: 100 },
    });
    expect(await scripted()).toBe(before);
    const [listed] = (await client.get(`/api/tool-eval/history/${done.id}/rescores`)).body.items;
    expect(listed).toMatchObject({
      id,
      eval_id: done.id,
      score: 1,
      scoring_version: SCORING_VERSION,
      options: { scoring_config: { mode: 'contains' }, pass_threshold: null },
    });
    expect(listed.summaries).toEqual([
      expect.objectContaining({
        target: 'sim::scripted:a',
        overall: 1,
        passed: 500,
        metrics: { ragas_tool_call_f1: expect.objectContaining({ mean: 0, scored: 500 }) },
      }),
    ]);
    const [was] = await resultsOf(done.id);
    const [is] = await resultsOf(done.id, `&rescore_id=${id}`);
    expect(was).toMatchObject({ passed: false, param_score: 0.5, metrics: {}, scoring_version: SCORING_VERSION });
    expect(is).toMatchObject({
      id: was.id,
      passed: true,
      param_score: 1,
      metrics: { ragas_tool_call_f1: { score: 0 } },
      called: was.called,
      latency_ms: was.latency_ms,
    });
    expect(is.called[0].arguments.at).toBe(5);
    const one = (await client.get(`/api/tool-eval/history/${done.id}/results/${is.id}?rescore_id=${id}`)).body;
    expect(one.explanation.join(' ')).toMatch(/All expected arguments match/);
    const exported = (await client.get(`/api/tool-eval/history/${done.id}/export?format=jsonl&rescore_id=${id}`)).body
      .trim()
      .split('\n');
    expect(exported.filter((line: string) => JSON.parse(line).passed)).toHaveLength(500);
    expect(
      (await client.get(`/api/tool-eval/history/${done.id}/results?passed=false&rescore_id=${id}`)).body.items,
    ).toEqual([]);
    expect((await client.get(`/api/tool-eval/history/${done.id}`)).body.summaries).toEqual(done.summaries);
    expect((await client.delete(`/api/tool-eval/history/${done.id}`)).status).toBe(204);
    expect((await client.get(`/api/jobs/${job.id}`)).status).toBe(404);
  }, 60_000);

  it('with another threshold changes who passes, but not the scores', async () => {
    const done = await run(
      await suiteOf([{ prompt: 'fresh', expected_tool: 'note', expected_params: { text: 'nothing', at: 5 } }]),
      ['scripted:a'],
    );
    const { id } = await rescored(done.id, { pass_threshold: 0.8 });
    expect((await resultsOf(done.id, `&rescore_id=${id}`))[0]).toMatchObject({
      passed: true,
      overall: expect.closeTo(0.8),
    });
  }, 60_000);

  it('reports an unfinished run, options that a case does not allow, and missing replies', async () => {
    const suite = await suiteOf([{ prompt: 'fresh', expected_tool: 'note', expected_params: { text: 'a(b' } }]);
    const done = await run(suite, ['scripted:a']);
    const path = `/api/tool-eval/history/${done.id}/rescore`;
    expect((await client.post(path, { scoring_config: { mode: 'regex' } })).body).toMatchObject({
      status: 422,
      errors: [{ path: '/scoring_config' }],
    });
    expect((await client.post(path, { metrics: [{ id: 'nope' }] })).body).toMatchObject({
      status: 422,
      errors: [{ path: '/metrics/0/id' }],
    });
    expect((await client.get(`/api/tool-eval/history/${done.id}/results?rescore_id=${done.id}`)).status).toBe(422);
    await sql.query('DELETE FROM exchange WHERE run_id = $1', [done.id]);
    expect((await rescored(done.id, {})).job).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/no longer kept/),
    });
    await client.patch('/api/providers/sim', {
      models: ['scripted:a', 'scripted:b', 'embeddings', 'hangs'].map((id) => ({ id })),
    });
    const going = (await client.post('/api/tool-eval', { suite_id: suite, models: ['hangs'] })).body;
    expect((await client.post(`/api/tool-eval/history/${going.eval_id}/rescore`, {})).status).toBe(409);
    await client.post('/api/tool-eval/cancel', { job_id: going.job_id });
  }, 60_000);

  it('includes items that only the embedding model had failed', async () => {
    await client.put('/api/settings/embedding', { provider_key: 'broken', model_id: 'wrong-key' });
    await script('b', { mean: call('{"text":"buy fresh milk"}') });
    const done = await run(
      await suiteOf([
        {
          prompt: 'mean',
          expected_tool: 'note',
          expected_params: { text: 'buy some fresh milk' },
          scoring_config: { mode: 'semantic', threshold: 0.5 },
        },
      ]),
      ['scripted:b'],
    );
    expect(done.counts.errored).toBe(1);
    expect((await rescored(done.id, {})).job).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/embedding model failed/),
    });
    await client.put('/api/settings/embedding', { provider_key: 'sim', model_id: 'embeddings' });
    const { id } = await rescored(done.id, {});
    expect((await resultsOf(done.id, `&rescore_id=${id}`))[0]).toMatchObject({
      outcome: 'scored',
      passed: true,
      error: null,
    });
  }, 60_000);

  describe('with another version of the suite', () => {
    const read = async (path: string) => (await client.get(path)).body;
    const facetsOf = (evalId: string, rescore?: string) =>
      until(
        async () => {
          const of = rescore === undefined ? '' : `?rescore_id=${rescore}`;
          const answer = await client.get(`/api/tool-eval/history/${evalId}/facets${of}`);
          return answer.status === 200 && answer.body;
        },
        { what: 'the facets of the rescore' },
      );
    const noted = (prompt: string, text: string) => ({
      name: prompt,
      prompt,
      tags: [text],
      expected_tool: 'note',
      expected_params: { text },
    });

    it('takes its expectations, and leaves out what it asks otherwise or does not have', async () => {
      await script('a', { fresh: call('{"text":"milk"}'), other: call('{"text":"bread"}'), gone: call('{}') });
      const suite = await suiteOf([noted('fresh', 'Milk?'), noted('other', 'bread'), noted('gone', 'x')]);
      const experiment = (await client.post('/api/experiments', { name: 'Mended', suite_id: suite })).body;
      const done = await run(suite, ['scripted:a'], { experiment_id: experiment.id, samples: 2 });
      const rules = { name: 'Untouched', suite_id: suite, baseline: { eval_id: done.id } };
      const gate = (await client.post('/api/gates', rules)).body;
      const [fresh, other, gone] = (await read(`/api/tool-suites/${suite}/cases`)).items;
      const untouched = async () => [
        await read(`/api/experiments/${experiment.id}`),
        await read(`/api/gates/${gate.id}/check?eval_id=${done.id}`),
        await read(`/api/tool-eval/history/${done.id}`),
        await read(`/api/trends?suite_id=${suite}`),
      ];
      const asked = await scripted();
      const cases = `/api/tool-suites/${suite}/cases`;
      await client.put(`${cases}/${fresh.id}`, { ...noted('fresh', 'milk'), name: 'renamed', tags: ['mended'] });
      await client.put(`${cases}/${other.id}`, noted('asked otherwise', 'bread'));
      await client.delete(`${cases}/${gone.id}`);
      await client.post(cases, noted('added', 'y'));
      const { version } = await read(`/api/tool-suites/${suite}`);
      await facetsOf(done.id);
      const before = await untouched();

      const { job, id } = await rescored(done.id, { suite_version: version });
      expect(job).toMatchObject({ status: 'completed', progress: { done: 6, total: 6, errored: 0 } });
      expect((await read(`/api/tool-eval/history/${done.id}/rescores`)).items[0]).toMatchObject({
        suite_version: version,
        score: 1,
        unmatched: {
          count: 2,
          results: 4,
          cases: [
            { id: other.id, name: 'other' },
            { id: gone.id, name: 'gone' },
          ],
        },
        summaries: [{ cases: 1, scored: 2, passed: 2, errored: 0, overall: 1 }],
      });
      const results = await resultsOf(done.id, `&order=case&rescore_id=${id}`);
      const shown = results.map(({ case_name, passed, unmatched, expected }: any) => ({
        ...{ case_name, passed, unmatched },
        text: expected.params.text,
      }));
      expect(shown.filter((_result: object, index: number) => index % 2 === 0)).toEqual([
        { case_name: 'renamed', passed: true, unmatched: false, text: 'milk' },
        { case_name: 'other', passed: false, unmatched: true, text: 'bread' },
        { case_name: 'gone', passed: false, unmatched: true, text: 'x' },
      ]);
      expect(results[2]).toMatchObject({
        outcome: 'errored',
        overall: null,
        evidence: null,
        called: [{ name: 'note' }],
      });
      const one = await read(`/api/tool-eval/history/${done.id}/results/${results[2].id}?rescore_id=${id}`);
      expect(one.explanation.join()).toMatch(/does not judge the reply/);
      expect(await facetsOf(done.id, id)).toMatchObject({
        totals: [[2, 0, 0]],
        tag: { values: [{ value: 'mended' }] },
      });
      for (const [query, found] of [
        ['passed=false', 0],
        ['outcome=errored', 0],
        ['tag=mended', 2],
        ['tag=bread', 2],
        ['passed=true&expected_tool=note', 2],
      ])
        expect([query, (await resultsOf(done.id, `&order=case&rescore_id=${id}&${query}`)).length]).toEqual([
          query,
          found,
        ]);

      const csv = (await client.get(`/api/tool-eval/history/${done.id}/export?format=csv&rescore_id=${id}`)).body;
      expect(csv.match(/,unmatched,false,/g)).toHaveLength(4);

      expect(await untouched()).toEqual(before);
      expect((await resultsOf(done.id, '&order=case'))[0]).toMatchObject({ passed: false, unmatched: false });
      expect(await scripted()).toBe(asked);
    }, 60_000);

    it('compares a run as if it had had that version, with a run of it', async () => {
      await script('a', { fresh: call('{"text":"milk"}') });
      const suite = await suiteOf([noted('fresh', 'Milk?')]);
      const a = await run(suite, ['scripted:a']);
      const [{ id: caseId }] = (await read(`/api/tool-suites/${suite}/cases`)).items;
      await client.put(`/api/tool-suites/${suite}/cases/${caseId}`, noted('fresh', 'milk'));
      const b = await run(suite, ['scripted:a']);
      const { id } = await rescored(a.id, { suite_version: b.suite.version });
      const compared = await read(`/api/compare?a=${a.id}&b=${b.id}&rescore_a=${id}`);
      expect(compared).toMatchObject({ cases: { common: 1, changed: 0 }, outcomes: { same_right: 1 } });
      expect((await read(`/api/compare?a=${a.id}&b=${b.id}`)).cases).toMatchObject({ common: 0, changed: 1 });
      // Its own version, and one from before.
      const own = await rescored(b.id, { suite_version: b.suite.version });
      const earlier = await rescored(b.id, { suite_version: a.suite.version });
      expect((await resultsOf(b.id, `&rescore_id=${own.id}`))[0].passed).toBe(true);
      expect((await resultsOf(b.id, `&rescore_id=${earlier.id}`))[0].passed).toBe(false);
      expect((await read(`/api/tool-eval/history/${b.id}/rescores`)).items.map((one: any) => one.unmatched)).toEqual([
        { count: 0, results: 0, cases: [] },
        null,
      ]);
    }, 60_000);

    it('reads calls with its tools, and passes from its threshold', async () => {
      await script('a', { fresh: call('{"text":"milk","at":1}') });
      const suite = await suiteOf([{ ...noted('fresh', 'milk'), expected_params: { text: 'milk', at: 2 } }]);
      const done = await run(suite, ['scripted:a']);
      await client.patch(`/api/tool-suites/${suite}`, { pass_threshold: 0.5 });
      const lower = await rescored(done.id, { suite_version: (await read(`/api/tool-suites/${suite}`)).version });
      expect((await resultsOf(done.id, `&rescore_id=${lower.id}`))[0]).toMatchObject({ passed: true, overall: 0.8 });
      const [{ id: caseId }] = (await read(`/api/tool-suites/${suite}/cases`)).items;
      const renamed = { ...tool, function: { ...tool.function, name: 'remember' } };
      await client.patch(`/api/tool-suites/${suite}`, { tools: [tool, renamed] });
      await client.put(`/api/tool-suites/${suite}/cases/${caseId}`, {
        ...noted('fresh', 'milk'),
        expected_tool: 'remember',
      });
      await client.patch(`/api/tool-suites/${suite}`, { tools: [renamed] });
      const { version } = await read(`/api/tool-suites/${suite}`);
      const { id } = await rescored(done.id, { suite_version: version });
      expect((await resultsOf(done.id, `&rescore_id=${id}`))[0]).toMatchObject({
        passed: false,
        error_type: 'unknown_tool',
        expected: { tool: 'remember' },
      });
      expect(await facetsOf(done.id, id)).toMatchObject({ called_tool: { values: [{ value: '(unknown)' }] } });
      expect(await resultsOf(done.id, `&order=case&rescore_id=${id}&called_tool=(unknown)`)).toHaveLength(1);
      expect(await resultsOf(done.id, `&order=case&rescore_id=${id}&expected_tool=remember`)).toHaveLength(1);
    }, 60_000);

    it('refuses a version that is not stored, and names those that are', async () => {
      const suite = await suiteOf([noted('fresh', 'milk')]);
      const done = await run(suite, ['scripted:a']);
      const path = `/api/tool-eval/history/${done.id}/rescore`;
      await client.patch(`/api/tool-suites/${suite}`, { description: 'another one' });
      expect((await client.post(path, { suite_version: 9 })).body).toMatchObject({
        status: 422,
        code: 'unknown_suite_version',
        params: { version: 9, versions: '2, 1' },
        errors: [{ path: '/suite_version' }],
      });
      expect((await client.delete(`/api/tool-suites/${suite}`)).status).toBe(204);
      expect((await client.post(path, { suite_version: 2 })).body).toMatchObject({
        status: 422,
        detail: expect.stringMatching(/was deleted/),
        errors: [{ path: '/suite_version' }],
      });
      expect((await rescored(done.id, { suite_version: 1 })).job.status).toBe('completed');
    }, 60_000);
  });
});
