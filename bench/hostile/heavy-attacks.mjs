// Attacks by size: of request bodies, of what the API has to produce, and of responses from a model or a server. They
// have the form of those in attacks.mjs. Expensive data is created once, and kept small where only counts matter.
import { Agent, request } from 'node:http';
import { loadRun } from '../compare/load-run.mjs';

const MIB = 2 ** 20;
const times = (n, make) => Array.from({ length: n }, (_, index) => make(index));
const keys = (n, value = '1') => `{${times(n, (index) => `"k${index}":${value}`).join(',')}}`;
const numbers = (n) => `[${'1e0,'.repeat(n - 1)}1]`;

/** Request bodies that an editor may send, of 10 MiB each. `RUN` is a run of the team. */
const BODIES = {
  'POST /api/tool-eval': [
    () => `{"x":${numbers(2.5e6)}}`,
    () => keys(7e5),
    () => `{"x":[${'{"a":1},'.repeat(1.2e6)}1]}`,
    () => '['.repeat(5e6) + ']'.repeat(5e6),
  ],
  'POST /api/tool-eval/history/RUN/labels': [() => `{"labels":${numbers(2.5e6)}}`],
  'POST /api/tool-eval/import?dry_run=true': [() => keys(7e5)],
  'POST /api/tool-eval/estimate': [() => `{"system_prompt":${keys(4e5)}}`, () => `{"tool_overrides":${keys(3e5)}}`],
  'POST /api/tool-eval/try': [() => `{"mock_responses":${keys(4e5, '{"a":1}')}}`],
  'POST /api/tool-eval/param-tune/estimate': [() => `{"per_model_search_spaces":${keys(3e5, '{}')}}`],
  'POST /api/prompt-versions': [() => `{"components":[${'{"kind":"system"},'.repeat(3e5)}1]}`],
  'POST /api/gates': [() => `{"critical_tags":[${'"abcdefg",'.repeat(9e5)}"a"]}`],
};

/** Repeats `work` in `count` concurrent callers. */
const allTheTime = (hostile, count, work) => hostile.repeat(1000, work, count);

/** Requests responses on separate connections, and reads none of them. */
function unread(hostile, count, path) {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const ask = (turn) => {
    if (hostile.signal.aborted) return;
    const asked = request(`${hostile.api.url}${path(turn)}`, {
      agent,
      headers: { authorization: `Bearer ${hostile.tokens.viewer}` },
      signal: hostile.signal,
    });
    asked.on('response', (answer) => {
      hostile.count(`unread ${answer.statusCode}`);
      answer.pause();
      answer.on('error', () => {});
    });
    asked.on('error', () => {});
    asked.on('close', () => {
      if (hostile.signal.aborted) return;
      hostile.count('unread, closed by the API');
      setTimeout(() => ask(turn), 1000);
    });
    asked.end();
  };
  for (let turn = 0; turn < count; turn++) ask(turn);
}

/** Bodies that the API accepts, and that stall before their end. */
function stalled(hostile, count, path) {
  const most = Buffer.from(`{"name":"${'x'.repeat(9.9e6)}`);
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const send = () => {
    if (hostile.signal.aborted) return;
    const sent = request(`${hostile.api.url}${path}`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${hostile.tokens.owner}`,
        'content-type': 'application/json',
        'content-length': String(10 * MIB),
      },
      signal: hostile.signal,
    });
    sent.on('response', (answer) => (hostile.count(`stalled POST ${answer.statusCode}`), answer.resume()));
    sent.on('error', () => {});
    sent.on('close', () => hostile.signal.aborted || setTimeout(send, 1000));
    sent.write(most);
    hostile.count('bodies without an end');
  };
  for (let turn = 0; turn < count; turn++) send();
}

/** Runs of a suite with very many cases, loaded into Postgres. */
const largeRuns = (hostile, size, count = 4) =>
  hostile.once(`runs of a large suite, ${size}`, async () => {
    const cases = size === 1 ? 100_000 : 4000;
    const model = await hostile.model('plain');
    const suiteId = await hostile.suite(1);
    const lot = Math.min(cases, 10_000);
    for (let from = 0; from < cases; from += lot)
      await hostile.must(
        'POST',
        `/api/tool-suites/${suiteId}/cases`,
        times(from ? lot : lot - 1, (n) => ({
          name: `case ${from + n}`,
          prompt: `What is the weather in city ${from + n}?`,
          expected_tool: 'get_weather',
          expected_params: { city: `city ${from + n}` },
        })),
      );
    await hostile.lanes('pause');
    const call = (...request) => hostile.must(...request);
    const of = { call, sql: hostile.sql, suiteId, model, cases, samples: 1 };
    const runs = [];
    for (let n = 0; n < count; n++) runs.push(await loadRun(of, 0.7 + n / 100));
    await hostile.sql.query('ANALYZE result');
    await hostile.lanes('resume');
    return { suiteId, model, runs };
  });

/** A result with an exchange of fourteen megabytes. */
const largeResult = (hostile) =>
  hostile.once('a large result', async () => {
    const run = await hostile.run(await hostile.suite(3), [await hostile.model('megabytes-of-text')]);
    await hostile.finished(run);
    return `/api/tool-eval/history/${run.id}/results/0-0-0`;
  });

const asViewer = (hostile) => ({ token: hostile.tokens.viewer });
let fresh = 0;

/** A run of a model with such replies. */
const replies = (model) => async (hostile) => {
  const target = await hostile.model(model, { concurrency: 40 });
  await hostile.run(await hostile.suite(60), [target]);
};

const aGate = async (hostile, { suiteId, runs }) =>
  (
    await hostile.must('POST', '/api/gates', {
      name: `gate ${fresh++} of ${hostile.name}`,
      suite_id: suiteId,
      baseline: { eval_id: runs[0] },
      margin: 0.02,
      looks: 1,
    })
  ).id;

export const HEAVY_SIGNS = {
  'bodies of 10 MiB': /POST \/api\/tool-eval 4\d\d/,
  'bodies that never end': /bodies without an end/,
  'replies of numbers': /requests to its provider/,
  'errors of megabytes': /items bad_request/,
  'comparisons of 100,000 cases': /GET \/api\/compare 20\d/,
  "a viewer's gate checks of 100,000 cases": /check 20\d/,
};

export const HEAVY_ATTACKS = {
  async 'bodies of 10 MiB'(hostile) {
    const run = await hostile.run(await hostile.suite(1), [await hostile.model('plain')]);
    const all = Object.entries(BODIES).flatMap(([route, made]) => made.map((make) => [route.split(' '), make()]));
    allTheTime(hostile, 5, (turn) => {
      const [[method, path], body] = all[turn % all.length];
      return hostile.ask(method, path.replace('RUN', run.id), body);
    });
  },
  async 'bodies that never end'(hostile, size) {
    stalled(hostile, 150 * size, '/api/tool-eval/import');
  },
  async 'MCP servers of megabytes'(hostile) {
    const kinds = ['pages', 'objects', 'headers', 'tools', 'events'];
    allTheTime(hostile, 8, (turn) =>
      hostile.ask('POST', '/api/mcp/discover', { url: `${hostile.provider.url}/mcp/${kinds[turn % kinds.length]}` }),
    );
  },
  async 'lists of models of megabytes'(hostile) {
    const keysOf = [];
    for (const kind of ['numbers', 'keys', 'models']) {
      keysOf.push(`lists-${kind}-${fresh++}`);
      await hostile.must('POST', '/api/providers', {
        key: keysOf.at(-1),
        base_url: `${hostile.provider.url}/lists/${kind}`,
        models: [{ id: 'megabytes-of-numbers' }],
      });
    }
    allTheTime(hostile, 4, (turn) =>
      turn % 4
        ? hostile.ask('GET', `/api/providers/${keysOf[turn % 3]}/discover`, undefined, { as: 'discover' })
        : hostile.ask('POST', `/api/providers/${keysOf[0]}/test`, {}, { as: 'test' }),
    );
  },
  'replies of numbers': replies('megabytes-of-numbers'),
  'replies of keys': replies('megabytes-of-keys'),
  'replies of arguments': replies('megabytes-of-arguments'),
  'replies of 100,000 calls': replies('hundred-thousand-calls'),
  'errors of megabytes': replies('megabytes-of-error'),
  async 'large results read at once'(hostile) {
    const path = await largeResult(hostile);
    return () => allTheTime(hostile, 10, () => hostile.ask('GET', path, undefined, asViewer(hostile)));
  },
  async 'large results that nobody reads'(hostile, size) {
    const path = await largeResult(hostile);
    return async () => unread(hostile, 90 * size, () => path);
  },
  async 'exports of 100,000 results'(hostile, size) {
    const { runs } = await largeRuns(hostile, size);
    const formats = ['json', 'csv', 'jsonl&called_tool=nothing', 'junit'];
    return () =>
      allTheTime(hostile, 20, (turn) => {
        const path = `/api/tool-eval/history/${runs[turn % 4]}/export?format=${formats[turn % 4]}`;
        return hostile.ask('GET', path, undefined, asViewer(hostile));
      });
  },
  async 'exports that nobody reads'(hostile, size) {
    const { runs } = await largeRuns(hostile, size);
    return async () => unread(hostile, 90 * size, (turn) => `/api/tool-eval/history/${runs[turn % 4]}/export`);
  },
  async 'comparisons of 100,000 cases'(hostile, size) {
    const { runs } = await largeRuns(hostile, size);
    return () =>
      allTheTime(hostile, 6, () => {
        const margin = (0.01 + fresh++ / 1e6).toFixed(6);
        return hostile.ask('GET', `/api/compare?runs=${runs.join()}&margin=${margin}`, undefined, asViewer(hostile));
      });
  },
  async "a viewer's gate checks of 100,000 cases"(hostile, size) {
    const large = await largeRuns(hostile, size);
    return () =>
      allTheTime(hostile, 4, async () => {
        const path = `/api/gates/${await aGate(hostile, large)}/check?eval_id=${large.runs[1]}`;
        await hostile.ask('GET', path, undefined, asViewer(hostile));
      });
  },
  async 'gate runs of 100,000 pairs'(hostile, size) {
    const large = await largeRuns(hostile, size);
    return async () => {
      for (let n = 0; n < 3; n++)
        await hostile.ask('POST', `/api/gates/${await aGate(hostile, large)}/run`, { eval_id: large.runs[1 + n] });
    };
  },
  async 'estimates of tunes'(hostile, size) {
    const { suiteId, model } = await largeRuns(hostile, size);
    const spaces = { temperature: [0, 1] };
    const asked = [
      ['/api/tool-eval/prompt-tune/estimate', { suite_id: suiteId, models: [model], meta_model: model }],
      ['/api/tool-eval/param-tune/estimate', { suite_id: suiteId, models: [model], search_space: spaces }],
      ['/api/tool-eval/estimate', { suite_id: suiteId, models: [model] }],
    ];
    return () => allTheTime(hostile, 10, (turn) => hostile.ask('POST', ...asked[turn % 3]));
  },
  async 'try-outs of a large suite'(hostile, size) {
    const { suiteId, model } = await largeRuns(hostile, size);
    const one = { prompt: 'What is the weather in Paris?', expected_tool: 'get_weather' };
    const body = { suite_id: suiteId, models: [model], case: one };
    return () => allTheTime(hostile, 50, () => hostile.ask('POST', '/api/tool-eval/try', body));
  },
  async 'lists by hundreds'(hostile) {
    const paths = ['/api/jobs?limit=200', '/api/tool-eval/history?limit=200', '/api/tool-eval/history'];
    allTheTime(hostile, 200, (turn) => hostile.ask('GET', paths[turn % 3], undefined, asViewer(hostile)));
  },
  async 'sign-ins with a right token'(hostile) {
    const { viewer: token } = hostile.tokens;
    const headers = { origin: hostile.api.url };
    allTheTime(hostile, 30, () => hostile.ask('POST', '/api/session', { token }, { headers, token: undefined }));
  },
  async 'metrics and documents without a token'(hostile) {
    const paths = ['/metrics', '/openapi.json'];
    allTheTime(hostile, 20, (turn) => hostile.ask('GET', paths[turn % 2], undefined, { token: '' }));
  },
  async 'endpoints that hang, of many teams'(hostile, size) {
    const teams = times(20 * size, (n) => n);
    await Promise.all(
      teams.map(async (n) => {
        const team = await hostile.another(`hanging ${n} ${fresh++}`);
        const model = await team.model('plain', { models: ['plain', 'embeddings'] });
        const run = await team.run(await team.suite(1), [model]);
        await team.finished(run);
        await team.must('PUT', '/api/settings/embedding', {
          provider_key: model.split('::')[0],
          model_id: 'embeddings',
        });
        await team.must('POST', `/api/tool-eval/history/${run.id}/rescore`, { param_scoring: 'semantic' });
      }),
    );
  },
};
