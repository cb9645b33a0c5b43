// Attacks that stop other teams or take what is theirs: each once worked, or might. A function returns once its attack
// is under way, or returns a function that starts it, so that in a group all are prepared before one slows the API
// down. `size` is 1, or less where only counts matter. An attack continues until it is stopped (adversary.mjs). All are
// bounded in count and rate, and reach only this machine.
import { CONVERSATION_ATTACKS } from './conversation-attacks.mjs';
import { HEAVY_ATTACKS, HEAVY_SIGNS } from './heavy-attacks.mjs';

const MIB = 2 ** 20;
const UNKNOWN_JOB = '00000000-0000-7000-8000-000000000000';
const han = (length) => Array.from({ length }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7919) % 20_000))).join('');
const calls = { expected_tool: 'get_weather', expected_params: { city: 'Paris' } };
const times = (n, make) => Array.from({ length: n }, (_, index) => make(index));
const tool = (parameters, name = 'get_weather') => ({
  type: 'function',
  function: { name, description: 'Get the weather', parameters },
});

const promptfooProviders = [
  { id: 'openai:gpt-4o', config: { tools: [tool({ type: 'object', properties: { city: { type: 'string' } } })] } },
];

/** A run of a hostile model. */
const runOf =
  (model, { cases = 20, one = calls, suite, ...more } = {}) =>
  async (hostile) => {
    const { concurrency, kind, ...run } = more;
    await hostile.run(await hostile.suite(cases, one, suite), [await hostile.model(model, { concurrency, kind })], run);
  };

/** Like `runOf`, restarted every few seconds so that a quick attack lasts as long as the honest run. */
const runsOf =
  (model, { cases = 20, one = calls, suite, everyS = 4, kind, concurrency, ...run } = {}) =>
  async (hostile) => {
    const [suiteId, target] = [
      await hostile.suite(cases, one, suite),
      await hostile.model(model, { kind, concurrency }),
    ];
    await hostile.run(suiteId, [target], run);
    hostile.repeat(1 / everyS, async (turn) => turn && hostile.run(suiteId, [target], run));
  };

/** Stores runs whose config contains a text that the API no longer accepts, in place of `"PLACE"`. */
const storedConfig = async (hostile, places) => {
  for (const text of places) {
    await hostile.stored(await hostile.suite(10), [await hostile.model('plain')], { params: { stop: 'PLACE' } }, (id) =>
      hostile.sql.query(
        `UPDATE run SET config = replace(config, '"PLACE"', $2) WHERE id = $1 AND strpos(config, '"PLACE"') > 0`,
        [id, text],
      ),
    );
  }
};

/** Evidence in an attack's outcome that it took place. */
export const SIGNS = {
  'packets that are not objects': /\d+ x packets/,
  'replies of 60,000 calls': /items oversized_reply/,
  'an error with U+0000': /items bad_request/,
  'tokens to count': /estimate 200/,
  ...HEAVY_SIGNS,
};

export const ATTACKS = {
  async 'a suite of hundreds of megabytes'(hostile, size) {
    const suiteId = await hostile.suite(1);
    const text = 'How is the weather today? '.repeat(1900).slice(0, 48_600);
    const body = JSON.stringify(times(200, (n) => ({ prompt: `${n} ${text}`, ...calls })));
    for (let posts = 0, until = performance.now() + 90_000; posts < 44 * size && performance.now() < until; posts++) {
      const as = `posts of ${(body.length / MIB).toFixed(1)} MiB`;
      const { status } = await hostile.ask('POST', `/api/tool-suites/${suiteId}/cases`, body, { as });
      if (status !== 201) break;
    }
    return async () => {
      hostile.repeat(2, () =>
        hostile.ask('GET', `/api/tool-suites/${suiteId}`, undefined, { token: hostile.tokens.viewer }),
      );
      await hostile.run(suiteId, [await hostile.model('plain')]);
    };
  },
  async 'settings that jsonb refuses'(hostile) {
    const suiteId = await hostile.suite(10);
    const model = await hostile.model('plain');
    hostile.repeat(4, async (turn) => {
      const refused = ['"\\u0000"', '"\\ud800"', '1e999999'][turn % 3];
      await hostile.ask(
        'POST',
        '/api/tool-eval',
        `{"suite_id":"${suiteId}","models":["${model}"],"params":{"stop":${refused}}}`,
      );
    });
    await storedConfig(hostile, ['"\\u0000"', '"\\ud800"', '1e999999']);
  },
  async 'a schema that refers to itself'(hostile) {
    const endless = {
      type: 'object',
      $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } },
      properties: { city: { $ref: '#/$defs/a' } },
    };
    const example = await hostile.must('GET', '/api/tool-eval/import/example');
    hostile.repeat(2, () =>
      hostile.ask('POST', '/api/tool-eval/import', {
        ...example,
        tools: [tool(endless)],
        test_cases: [{ prompt: 'x', ...calls }],
      }),
    );
    await hostile.stored(await hostile.suite(20), [await hostile.model('plain')], {}, (id) =>
      hostile.sql.query(
        'UPDATE suite_version v SET tools = $2 FROM run r WHERE r.id = $1 AND v.id = r.suite_version_id',
        [id, JSON.stringify([tool(endless)])],
      ),
    );
  },
  async 'a rescore that cannot be made'(hostile) {
    const run = await hostile.run(await hostile.suite(20), [await hostile.model('plain')]);
    await hostile.finished(run);
    const broken = JSON.stringify({
      prompt: 'x',
      expected_tool: 'get_weather',
      expected_params: { city: '(' },
      param_scoring: 'regex',
    });
    await hostile.sql.query(
      'UPDATE suite_version_case c SET body = $2 FROM run r WHERE r.id = $1 AND c.version_id = r.suite_version_id',
      [run.id, broken],
    );
    return () => hostile.repeat(2, () => hostile.ask('POST', `/api/tool-eval/history/${run.id}/rescore`, {}));
  },
  async 'exports without end'(hostile) {
    const run = await hostile.run(await hostile.suite(1000), [await hostile.model('plain', { concurrency: 100 })]);
    await hostile.finished(run);
    const formats = ['json', 'jsonl', 'csv', 'junit'];
    return () =>
      hostile.repeat(
        20,
        (turn) =>
          hostile.ask('GET', `/api/tool-eval/history/${run.id}/export?format=${formats[turn % 4]}`, undefined, {
            token: hostile.tokens.viewer,
          }),
        4,
      );
  },
  async 'searches without end'(hostile) {
    // The text is in every case, but not where a search looks: each of them is read in full.
    const one = { prompt: han(300), ...calls, expected_params: { city: 'needle '.repeat(100) } };
    const suiteId = await hostile.suite(5000, one);
    const run = await hostile.run(await hostile.suite(1000), [await hostile.model('plain', { concurrency: 100 })]);
    await hostile.finished(run);
    const paths = [
      `/api/tool-suites/${suiteId}/cases?text=needle`,
      `/api/tool-eval/history/${run.id}/results?order=case&called_tool=nothing`,
      `/api/tool-eval/history/${run.id}/results/0-0-0/neighbours?order=failures&called_tool=nothing`,
    ];
    return () =>
      hostile.repeat(
        200,
        (turn) => hostile.ask('GET', paths[turn % 3], undefined, { token: hostile.tokens.viewer }),
        150,
      );
  },
  async 'packets that are not objects'(hostile) {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const packets = [
      '{"job_id":{"toString":1}}',
      `{"job_id":${nested}}`,
      'null',
      '{"job_id":{"toString":1,"valueOf":2}}',
      '{"__proto__":{"job_id":1}}',
    ];
    const sockets = times(10, () => hostile.socket());
    hostile.repeat(40, async (turn) => {
      const name = turn % 3 ? 'unsubscribe' : 'subscribe';
      const sent = sockets[turn % 10].raw(`42${turn}["${name}",${packets[turn % packets.length]}]`);
      if (sent) hostile.count('packets');
    });
  },
  async 'thousands of subscriptions'(hostile) {
    const { jobId } = await hostile.run(await hostile.suite(5), [await hostile.model('plain')]);
    const sockets = times(40, () => hostile.socket());
    hostile.repeat(
      1000,
      async (turn) => {
        const socket = sockets[turn % sockets.length];
        const subscription = { job_id: turn % 2 ? jobId : UNKNOWN_JOB, after_seq: 0 };
        if (socket.raw(`42${turn}${JSON.stringify(['subscribe', subscription])}`)) hostile.count('packets');
      },
      20,
    );
  },
  async 'templates of blanks'(hostile) {
    hostile.repeat(0.5, () =>
      hostile.ask('POST', '/api/tool-eval/import?format=promptfoo&dry_run=true', {
        providers: promptfooProviders,
        prompts: [`{{${' '.repeat(20_000)}`],
        tests: [{ assert: [{ type: 'is-valid-openai-tools-call' }] }],
      }),
    );
  },
  async 'assertions that repeat'(hostile) {
    const value = "JSON.parse(output[0].function.arguments)['".repeat(5200);
    hostile.repeat(0.5, () =>
      hostile.ask('POST', '/api/tool-eval/import?format=promptfoo&dry_run=true', {
        providers: promptfooProviders,
        prompts: ['{{city}}'],
        tests: [
          { vars: { city: 'Paris' }, assert: [{ type: 'is-valid-openai-tools-call' }, { type: 'javascript', value }] },
        ],
      }),
    );
  },
  'replies of 60,000 calls': runOf('sixty-thousand-calls', {
    cases: 120,
    one: { expected_calls: times(60, (n) => ({ tool: 'get_weather', params: { city: `Paris ${n}` } })) },
    concurrency: 40,
  }),
  'replies of 14 MiB': runOf('megabytes-of-text', { cases: 120, concurrency: 40 }),
  'replies of braces': runOf('megabytes-of-braces', { cases: 120, concurrency: 40 }),
  'long texts to compare': runOf('two-long-strings', {
    cases: 40,
    one: {
      expected_tool: 'get_weather',
      expected_params: {
        city: times(40_000, (n) => String.fromCharCode(0x100 + ((n * 11 + ((n * n) % 89)) % 150))).join(''),
      },
    },
    metrics: [
      { id: 'axion_tool_correctness', options: { check_parameters: true, parameter_matching_strategy: 'fuzzy' } },
    ],
  }),
  'thousands of unique objects': runOf('thousands-of-objects', {
    cases: 60,
    suite: {
      tools: [
        tool({
          type: 'object',
          properties: { city: { type: 'string' }, places: { type: 'array', uniqueItems: true } },
        }),
      ],
    },
  }),
  'patterns that branch': runsOf('thousands-of-repetitions', {
    cases: 60,
    one: { expected_tool: 'get_weather', expected_params: { city: '(a?){1000}' }, param_scoring: 'regex' },
    suite: { tools: [tool({ type: 'object', properties: { city: { type: 'string', pattern: '^(a?){500}(a+)+$' } } })] },
  }),
  'an error with U+0000': runsOf('zero-in-error'),
  'replies with U+0000': runsOf('zero-in-reply'),
  'counts beyond int4': runsOf('huge-counts', { kind: 'anthropic' }),
  async 'a wait of 3 billion years'(hostile) {
    await runOf('waits-for-ages')(hostile);
    hostile.repeat(2, () => hostile.ask('GET', '/api/lanes'));
  },
  'every setting refused in turn': runsOf('refuses-in-turn', {
    cases: 100,
    concurrency: 40,
    max_tokens: 300,
    params: { top_p: 0.5, seed: 7 },
  }),
  '429 for ever': runOf('waits-for-ever', { cases: 100, concurrency: 40 }),
  async 'tokens to count'(hostile) {
    const model = await hostile.model('gpt-4o');
    const suiteId = await hostile.suite(60, { prompt: han(30_000), ...calls });
    const body = { suite_id: suiteId, models: [model] };
    hostile.repeat(2, () => hostile.ask('POST', '/api/tool-eval/estimate', body));
    hostile.repeat(0.5, () => hostile.ask('POST', '/api/tool-eval', body));
  },
  async 'schemas of thousands of properties'(hostile) {
    const properties = Object.fromEntries(
      times(4000, (n) => [`property_${n}`, { type: 'string', description: `${n}` }]),
    );
    const one = { name: 'wide', tools: [tool({ type: 'object', properties })], test_cases: [] };
    const allowed = {
      ...one,
      tools: times(16, (n) =>
        tool(
          { type: 'object', properties: Object.fromEntries(Object.entries(properties).slice(n, n + 490)) },
          `tool_${n}`,
        ),
      ),
    };
    const many = {
      name: 'wide',
      tools: times(50, (n) => tool({ type: 'object', properties }, `tool_${n}`)),
      test_cases: [],
    };
    hostile.repeat(1, (turn) => hostile.ask('POST', '/api/tool-eval/import', [allowed, one, allowed, many][turn % 4]));
  },
  async 'items that processes died of'(hostile) {
    const run = await hostile.run(await hostile.suite(400), [
      await hostile.model('slow-to-answer', { concurrency: 40 }),
    ]);
    // The state left by two processes that died one after the other; the reconciler counts the second death.
    const die = async () => {
      const { rowCount } = await hostile.sql.query(
        `UPDATE in_flight SET token = nextval('delivery_token'), worker = 'dead', lost = 1, crashes = 1, begun =
          true, lease_until = now() - interval '1 s' WHERE run_id = $1 AND crashes = 0`,
        [run.id],
      );
      hostile.count('items made suspects', rowCount);
    };
    await hostile.begun(run);
    hostile.repeat(2, die);
    hostile.repeat(1 / 3, (turn) => hostile.lanes(turn % 2 ? 'pause' : 'resume'));
  },
  async 'embeddings that never come'(hostile) {
    const model = await hostile.model('plain', { concurrency: 40, models: ['plain', 'embeddings'] });
    await hostile.must('PUT', '/api/settings/embedding', {
      provider_key: model.split('::')[0],
      model_id: 'embeddings',
    });
    hostile.after(() =>
      hostile.sql.query(
        `DELETE FROM embedding_model WHERE team_id IN (SELECT team_id FROM suite
          WHERE name = 'embeddings that never come')`,
      ),
    );
    await hostile.run(
      await hostile.suite(200, {
        expected_tool: 'get_weather',
        expected_params: { city: 'The capital of France' },
        param_scoring: 'semantic',
      }),
      [model],
    );
  },
  async 'a summary that throws'(hostile) {
    const run = await hostile.run(await hostile.suite(30), [
      await hostile.model('slow-to-answer', { concurrency: 10 }),
    ]);
    hostile.repeat(20, () =>
      hostile.sql.query(`UPDATE result SET metrics = '{' WHERE run_id = $1 AND metrics IS DISTINCT FROM '{'`, [run.id]),
    );
    const unreadable = await hostile.run(await hostile.suite(1), [
      await hostile.model('plain'),
      await hostile.model('slow-to-answer'),
    ]);
    hostile.repeat(20, () =>
      hostile.sql.query(`UPDATE target SET summary = '{' WHERE run_id = $1 AND summary <> '{'`, [unreadable.id]),
    );
    hostile.after(() => hostile.sql.query(`UPDATE result SET metrics = NULL WHERE run_id = $1`, [run.id]));
    hostile.after(() =>
      hostile.sql.query(`UPDATE target SET summary = NULL WHERE run_id = $1 AND summary IS NOT NULL`, [unreadable.id]),
    );
  },
  'a provider that trickles': runOf('trickles', { cases: 100, concurrency: 40 }),
  'a provider that hangs up': runOf('hangs-up', { cases: 200, concurrency: 40 }),
  'a provider that redirects to itself': runsOf('redirects', { cases: 100, concurrency: 40 }),
  async 'runs submitted and cancelled'(hostile) {
    const [suiteId, model] = [await hostile.suite(3), await hostile.model('plain')];
    hostile.repeat(
      30,
      async () => {
        const { body } = await hostile.ask('POST', '/api/tool-eval', {
          suite_id: suiteId,
          models: [model],
          cache: 'off',
        });
        if (body.job_id) await hostile.ask('POST', '/api/tool-eval/cancel', { job_id: body.job_id });
      },
      4,
    );
  },
  async "a viewer's bodies of 10 MiB"(hostile) {
    const body = `[${'1e0,'.repeat(2.4 * MIB)}1]`;
    const paths = [
      '/api/tool-eval',
      '/api/tool-suites',
      '/api/providers',
      '/api/tool-eval/import',
      '/api/tool-eval/estimate',
    ];
    hostile.repeat(
      2,
      (turn) =>
        hostile.ask('POST', paths[turn % paths.length], body, { token: hostile.tokens.viewer, as: 'viewer POST' }),
      2,
    );
  },
  'a chain of 50 large rounds': runOf('large-rounds', {
    cases: 40,
    one: {
      expected_tool: 'book_flight',
      multi_turn: true,
      max_rounds: 50,
      mock_responses: { get_weather: { text: 'x'.repeat(20_000) } },
    },
    concurrency: 20,
    suite: {
      tools: ['get_weather', 'book_flight'].map((name) =>
        tool({ type: 'object', properties: { city: { type: 'string' } } }, name),
      ),
    },
  }),
  ...HEAVY_ATTACKS,
  ...CONVERSATION_ATTACKS,
};
