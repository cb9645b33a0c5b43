import { Ajv2020 } from 'ajv/dist/2020.js';
import { exampleSuite } from '#lib/contracts/examples/example-suite';
import { EXAMPLE_IDS, EXAMPLES } from '#lib/contracts/examples/examples';
import { settleRun } from '#lib/db/testing/settled-run';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, type Answer, type Client } from '../../../test/client.js';

let api: SharedApi;
let client: Client;
let document: any;
/** Ids in the examples, and the real ids that replace them. */
let ids: [string, string][];
let isAnswer: (operation: any, answer: Answer) => string;

beforeAll(async () => {
  api = await joinIdleApi();
  client = api.client;
  document = (await client.get('/openapi.json')).body;
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...document, $id: 'api' });
  isAnswer = (operation, { status, body, headers }) => {
    const path = operation.path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
    const pointer = `#/paths/${path}/${operation.method}/responses/${status}`;
    const content = operation.responses[status]?.content;
    if (!operation.responses[status]) return `${status} is not described: ${JSON.stringify(body)}`;
    if (!content || !/json$/.test(headers.get('content-type')!.split(';')[0]!)) return `${status}`;
    return ajv.validate({ $ref: `api${pointer}/content/application~1json/schema` }, body)
      ? `${status}`
      : `${status}, but ${ajv.errorsText()}`;
  };

  const models = new Set(JSON.stringify(EXAMPLES).match(/(?<=simulator::)[\w:-]+/g));
  await client.post('/api/providers', {
    key: 'simulator',
    base_url: 'http://127.0.0.1:9/v1',
    models: [...models].map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 1 })),
  });
  // Enough cases for a tune with a holdout, with the tags and names that the examples use.
  const manyCases = Array.from({ length: 14 }, (_, n) =>
    exampleSuite.test_cases.map((one, index) => ({
      ...one,
      name: n === 0 && index === 1 ? 'Tokyo in Fahrenheit' : `${index} ${n}`,
      category: 'current',
      tags: ['enum', 'single', 'number'],
    })),
  ).flat();
  const { suite_id } = (await client.post('/api/tool-eval/import', { ...exampleSuite, test_cases: manyCases })).body;
  const { test_cases } = (await client.get(`/api/tool-suites/${suite_id}`)).body;
  const submit = async () =>
    (await client.post('/api/tool-eval', { suite_id, models: ['simulator::perfect-ish'] })).body;
  const [done, running, baseline] = [await submit(), await submit(), await submit()];
  await client.post(`/api/jobs/${done.job_id}/cancel`);
  await settleRun(
    api.pool,
    done.eval_id,
    test_cases.map((_case: unknown, n: number) => (n < 2 ? 0 : undefined)),
  );
  await api.pool.query('UPDATE target SET summary = NULL, finished_at = NULL WHERE run_id = $1', [done.eval_id]);
  await api.pool.query(
    `UPDATE result SET evidence = '{"pairs": [], "missing": [0], "unexpected": []}' WHERE run_id = $1`,
    [done.eval_id],
  );
  const experiment = (await client.post('/api/experiments', { name: 'e', suite_id })).body;
  // Writes what a worker stores for the completed, best run.
  for (const [table, id] of [
    ['job', baseline.job_id],
    ['run', baseline.eval_id],
  ])
    await api.pool.query(`UPDATE ${table} SET status = 'completed', finished_at = now() WHERE id = $1`, [id]);
  await api.pool.query('UPDATE run SET score = 1 WHERE id = $1', [baseline.eval_id]);
  await api.pool.query('UPDATE experiment SET best_run_id = $2 WHERE id = $1', [experiment.id, baseline.eval_id]);
  const gate = (await client.post('/api/gates', { name: 'g', suite_id, baseline: { eval_id: baseline.eval_id } })).body;
  const gateRun = (await client.post(`/api/gates/${gate.id}/run`)).body;
  const tune = { suite_id, models: ['simulator::perfect-ish'], search_space: { top_p: [1] }, mode: 'grid', holdout: 0 };
  const tuned = (await client.post('/api/tool-eval/param-tune', tune)).body;
  const prompts = { suite_id, models: tune.models, meta_model: tune.models[0], mode: 'quick', holdout: 0 };
  const promptTuned = (await client.post('/api/tool-eval/prompt-tune', prompts)).body;
  const judged = (await client.post('/api/judge', { eval_id: done.eval_id, judge: 'judge:right' })).body;
  const preset = (await client.post('/api/param-presets', { name: 'p', search_space: tune.search_space })).body;
  const keep = async (of: object = {}) =>
    (await client.post('/api/prompt-versions', { suite_id, components: { system_prompt: 'Be brief.' }, ...of })).body;
  const earlierPrompt = await keep();
  const prompt = await keep({ parent_id: earlierPrompt.id });
  const lane = (await client.get('/api/lanes')).body.items[0];
  const token = (await client.post('/api/tokens', { name: 't', role: 'viewer' })).body;
  const member = (await client.post('/api/users', { name: 'm', role: 'viewer' })).body;
  const real = {
    suite: suite_id,
    case: test_cases[0].id,
    tokyo: test_cases[1].id,
    run: done.eval_id,
    baseline: baseline.eval_id,
    job: running.job_id,
    experiment: experiment.id,
    gate: gate.id,
    gateRun: gateRun.gate_run_id,
    tune: tuned.tune_id,
    promptTune: promptTuned.tune_id,
    preset: preset.id,
    prompt: prompt.id,
    earlierPrompt: earlierPrompt.id,
    best: baseline.eval_id,
    report: judged.report_id,
    lane: lane.id,
    token: token.id,
    member: member.id,
  };
  ids = Object.entries(real).map(([of, id]) => [EXAMPLE_IDS[of]!, id]);
}, 60_000);

const known = (text: string): string => ids.reduce((made, [example, real]) => made.replaceAll(example, real), text);

/** The operations with these methods, in the order of /docs, with their paths filled in. */
function operations(...methods: string[]): any[] {
  return Object.entries<any>(document.paths)
    .flatMap(([path, item]) => methods.flatMap((method) => (item[method] ? [{ ...item[method], method, path }] : [])))
    .map((operation) => ({
      ...operation,
      filled: operation.parameters.reduce(
        (path: string, { name, schema }: any) => path.replace(`{${name}}`, known(String(schema?.examples[0]))),
        operation.path,
      ),
    }));
}

/** The format of a text body, by its content type. */
const FORMATS: Record<string, string> = {
  'text/csv': 'csv',
  'text/plain': 'jsonl',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'application/x-ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
};

/** Sessions are for browsers: `apps/api/teams/sessions.int.spec.ts`. Open routes are for who has no token yet. */
const isForTokens = ({ path, security }: { path: string; security?: object[] }): boolean =>
  path !== '/api/session' && security?.length !== 0;
/**
 * The codes and invitations of the examples are nobody's: `apps/api/device-logins/device-logins.int.spec.ts`,
 * `apps/api/teams/invitations.int.spec.ts`.
 */
const isOfLogin = ({ path }: { path: string }): boolean => /\/(device-logins|memberships)/.test(path);

describe('the description of the API', () => {
  it('has an example of every request that is accepted as written, and describes the answer', async () => {
    const answers: string[] = [];
    const tryOuts: Promise<void>[] = [];
    const sendable = operations('post', 'put', 'patch').filter(
      (operation) => operation.requestBody && isForTokens(operation) && !isOfLogin(operation),
    );
    // A resumed run is in progress, so it cannot be judged.
    const isJudge = ({ path }: { path: string }): number => Number(/^\/api\/judge(\/estimate)?$/.test(path));
    for (const operation of sendable.toSorted((a, b) => isJudge(b) - isJudge(a))) {
      for (const [type, { example, examples }] of Object.entries<any>(operation.requestBody.content)) {
        for (const key of examples ? Object.keys(examples) : ['']) {
          const { summary, value } = examples ? document.components.examples[key] : { summary: type, value: example };
          // There is no worker, so a request that waits for an answer would wait until its deadline.
          const body = known(typeof value === 'string' ? value : JSON.stringify(value))
            .replace(/"deadline_s":\d+/, '"deadline_s":1')
            .replace(/"suite_version":\d+/, '"suite_version":1')
            // No operator listed the key, and the provider to change has no such header yet.
            .replace('"api_key_ref":"env:GATEWAY_KEY"', '"api_key_ref":null')
            .replace('"kind":"routing"}', '"kind":"routing","value":"search"}');
          if (body.includes('mcp.example.com')) continue; // This server does not exist.
          const format = FORMATS[type] ?? /format=(\w+)/.exec(summary)?.[1];
          const query = operation.path.endsWith('/recorded')
            ? known(`suite_id=${EXAMPLE_IDS.suite}&target_name=agent`)
            : `format=${format}`;
          const by = ['/api/teams', '/api/settings/quotas'].includes(operation.path) ? api.operator : client;
          const sent = by
            .send(operation.method.toUpperCase(), operation.filled + (format ? `?${query}` : ''), body, {
              'content-type': type,
            })
            .then((answer) => {
              const told = isAnswer(operation, answer);
              answers.push(
                `${operation.method} ${operation.path}, ${summary}: ` +
                  `${/^2\d\d$/.test(told) ? 'taken' : `${told} ${JSON.stringify(answer.body)}`}`,
              );
            });
          if (body.includes('"deadline_s":1')) tryOuts.push(sent);
          else await sent;
        }
      }
    }
    await Promise.all(tryOuts);
    expect(answers.filter((told) => !told.endsWith(': taken'))).toEqual([]);
    expect(answers.length).toBeGreaterThan(sendable.length);
    expect(Object.keys(document.paths['/api/tool-eval/import'].post.requestBody.content)).toEqual([
      'application/json',
      ...Object.keys(FORMATS),
    ]);
    expect(Object.keys(document.paths['/api/tool-eval/history/{id}/export'].get.responses[200].content)).toEqual([
      'application/json',
      'application/x-ndjson',
      'text/csv',
      'application/xml',
    ]);
  });

  it('describes the answers of reads', async () => {
    const told = [];
    for (const operation of operations('get'))
      told.push(`${operation.path}: ${isAnswer(operation, await client.get(operation.filled))}`);
    // The provider's address has no listener, and no runs to compare or check are named.
    const others = [
      '/api/me/device-logins/{userCode}: 404',
      '/api/sign-in/{provider}/callback: 403',
      '/api/search: 400',
      '/api/providers/{key}/discover: 422',
      '/api/tool-eval/history/{id}/facets: 409',
      '/api/tool-eval/history/{id}/confusion: 409',
      '/api/tool-eval/history/{id}/failures: 409',
      '/api/tool-eval/history/{id}/failures/{group}/draw: 409',
      '/api/tool-eval/history/{id}/cases: 409',
      '/api/compare: 422',
      '/api/compare/items: 422',
      '/api/gates/{id}/check: 400',
      '/api/tool-eval/prompt-tune/history/{id}/candidates/{candidate}: 404',
      '/api/tool-eval/prompt-tune/history/{id}/candidates/{candidate}/diff: 404',
    ];
    expect(told.filter((line) => !/: 2\d\d$/.test(line))).toEqual(others);
  });

  it('has no parameter example that /docs would send by default', () => {
    const parameters = [
      ...operations('get', 'post', 'put', 'patch', 'delete').flatMap((operation) => operation.parameters),
      ...Object.values(document.components.parameters),
    ];
    expect(
      parameters.filter(({ example, examples, schema }) => (example ?? examples ?? schema?.example) !== undefined),
    ).toEqual([]);
  });

  it('names the role that a request needs', async () => {
    const { token } = (await client.post('/api/tokens', { name: 'e', role: 'editor' })).body;
    const editor = clientOf(api.url, token);
    const refused = [];
    const changing = operations('post', 'put', 'patch', 'delete').filter(isForTokens);
    for (const { method, filled, description } of changing) {
      if ((await editor.send(method.toUpperCase(), filled, {})).status === 403)
        refused.push(description.match(/Needs the role .*/)[0]);
      else expect(description).toMatch(/Needs the role `(editor|viewer)` or above\.$/);
    }
    expect(refused).toEqual(
      changing.filter(({ description }) => description.includes('owner`.')).map(() => 'Needs the role `owner`.'),
    );
  });
});
