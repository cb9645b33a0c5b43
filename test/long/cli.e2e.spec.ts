import type { Command } from 'commander';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shellLine } from '../../apps/cli/output/shell-words.js';
import { createProgram } from '../../apps/cli/program.js';
import { openCommandLine, type CommandResult } from '../command-line.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilJobCompleted, untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';

let system: TeamSystem;
const cli = openCommandLine(() => system.client);
const { folder, toolmark, toolmarkJson } = cli;
const suite = (name: string) => ({
  ...(JSON.parse(readFileSync(resolve('examples/weather.json'), 'utf8')) as { test_cases: object[] }),
  name,
});

beforeAll(async () => {
  symlinkSync(resolve('examples'), join(folder, 'examples'));
  system = await joinSystem();
  await system.client.post('/api/providers', {
    key: 'simulator',
    base_url: `${system.simulator.url}/v1`,
    models: ['perfect-ish', 'careless-arguments', 'instant', 'judge:right'],
  });
}, 60_000);

it('a trace becomes drafts, which run with their suite once confirmed; results are found by run and job', async () => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [{ type: 'text', content: 'What is the weather in Paris?' }] },
    ]),
    'gen_ai.output.messages': JSON.stringify([
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c', name: 'get_weather', arguments: '{"city": "Paris", "days": 1.0}' }],
      },
    ]),
  };
  const span = {
    traceId: '4bf92f35',
    spanId: '00f067aa',
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  const file = join(folder, 'traces.json');
  writeFileSync(file, JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }, null, 2));

  const imported = await toolmark('suites', 'import', file, '--format', 'otlp', '--name', 'Traces');
  expect(imported).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Imported 1 cases as suite/),
    err: expect.stringMatching(/does not describe its tools[^]*All cases are drafts/),
  });
  expect(await toolmark('run', 'Traces', '--models', 'simulator::perfect-ish')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/are drafts/),
  });

  const listed = await toolmark('suites', 'drafts', 'Traces');
  const [draft, ...described] = listed.out.split('\n')[0]!.split(/ {2,}/);
  expect(described).toEqual([
    'What is the weather in Paris?',
    'get_weather("city":"Paris","days":1.0)',
    'otlp trace 4bf92f35 span 00f067aa',
  ]);
  expect(await toolmark('suites', 'confirm', 'Traces', draft!, 'x')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^"x" is not a draft/),
  });
  expect(await toolmark('suites', 'confirm', 'traceS', draft!.slice(0, 13))).toMatchObject({
    code: 0,
    out: `Confirmed ${draft}\n`,
  });
  expect((await toolmark('suites', 'drafts', 'Traces')).out).toBe('The suite has no drafts.\n');
  const { out: exported } = await toolmark('suites', 'export', 'Traces', '--format', 'jsonl');
  expect(exported).toContain('"days":1.0');
  expect(exported).toContain('"source":"otlp trace 4bf92f35 span 00f067aa"');
  expect(exported).not.toContain('draft');

  const run = await toolmark('run', 'Traces', '--models', 'simulator::perfect-ish', '--watch');
  const [, runId] = /Run (\S+) is completed/.exec(run.out)!;
  const {
    items: [job],
  } = await toolmarkJson('jobs');
  const jobs = (await toolmark('jobs')).out.split('\n').map((line) => line.split(/ {2,}/));
  expect(jobs[0]).toEqual(['job', 'type', 'status', 'done', 'score', 'suite', 'models', 'run', 'submitted']);
  expect(jobs[1]).toEqual([
    job.id,
    'tool_eval',
    'completed',
    '1/1',
    expect.stringMatching(/%$/),
    expect.stringMatching(/^Traces v\d/),
    'simulator::perfect-ish',
    runId,
    job.created_at,
  ]);
  const byRun = await toolmark('results', runId!);
  expect(byRun.out).toMatch(/^(pass|FAIL) {2}simulator::perfect-ish {2}What is the weather/);
  expect(await toolmark('results', job.id)).toEqual(byRun);
}, 60_000);

it('a name that matches several suites, or none, is reported with the candidates', async () => {
  const ids = await Promise.all(['Twins', 'Twins'].map((name) => system.client.importSuite(suite(name))));
  const twins = await toolmark('run', 'Twins', '--models', 'simulator::perfect-ish');
  expect(twins).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^2 suites are named "Twins"\. Give the id of one:\n/),
  });
  for (const id of ids) expect(twins.err).toContain(`${id} (Twins v1, `);
  expect(await toolmark('run', 'Twinz', '--models', 'a')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No suite has the name or id "Twinz", and there is no file of that name\. .*Twins/),
  });
});

it('wrong usage is explained with a suggestion and exits with 2; a missing object exits with 1', async () => {
  expect(await toolmark('--version')).toEqual({
    code: 0,
    out: `toolmark ${JSON.parse(readFileSync(resolve('package.json'), 'utf8')).version}\n`,
    err: '',
  });
  const help = await toolmark('--help');
  expect(help).toMatchObject({ code: 0, err: '' });
  expect(await toolmark()).toEqual(help);
  for (const [args, message] of [
    [['result'], "error: unknown command 'result'\n(Did you mean results?)\n"],
    [['suites', 'exprt', 'x'], "error: unknown command 'exprt'\n(Did you mean export?)\n"],
    [['jobs', '--limt', '5'], "error: unknown option '--limt'\n(Did you mean --limit?)\n"],
    [['jobs', '--models', 'a'], "error: unknown option '--models'\n"],
    [['run', 'Weather', 'API', '--models', 'a'], "error: too many arguments for 'run'. Expected 1 argument but got 2"],
    [['run', 'Weather'], "error: required option '-m, --models <list>' not specified\n"],
    [['run', 'Weather', '-m', 'a', '-n', 'many'], "error: option '-n, --samples <n>' argument 'many' is invalid."],
    [['suites', 'check', 'none.json'], 'There is no file none.json.\n'],
    [['suites', 'check', 'bin/toolmark'], 'bin/toolmark is not a suite: '],
    [['history', '--server', 'http://127.0.0.1:9'], 'The server cannot be reached: '],
    [['history', '--token', 'wrong'], 'The token'],
  ] as const)
    expect(await toolmark(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
  const unknown = '01a20337-509b-7ecb-afd1-915d2a3585e8';
  for (const id of [unknown, 'abc123', 'xyz'])
    for (const command of ['results', 'cancel', 'show'])
      expect(await toolmark(command, id)).toEqual({
        code: 1,
        out: '',
        err: `No run or job has the id "${id}". List them with: toolmark history, toolmark jobs\n`,
      });
});

it('with --json an error is a problem on standard error', async () => {
  const problem = async (...args: string[]) => {
    const { code, out, err } = await toolmark(...args, '--json');
    return { ...JSON.parse(err), code, out };
  };
  expect(await problem('run', '00000000-0000-4000-8000-000000000000', '-m', 'simulator::perfect-ish')).toMatchObject({
    code: 1,
    out: '',
    status: 422,
    type: 'about:blank',
    errors: [{ path: '/suite_id' }],
  });
  expect(await problem('show', 'abc123')).toEqual({
    code: 1,
    out: '',
    type: 'about:blank',
    title: 'Negative answer',
    detail: expect.stringMatching(/^No run or job/),
  });
  expect(await problem('jbos')).toMatchObject({
    code: 2,
    title: 'Usage or connection',
    detail: "error: unknown command 'jbos' (Did you mean jobs?)",
  });
});

it('the CLI finds the server of npm start by its token, and asks for a token when there is none', async () => {
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ url: system.client.url }));
  const local = { TOOLMARK_DATA_DIR: folder };
  const token = { TOOLMARK_ADMIN_TOKEN: system.client.token };
  expect(await cli.toolmarkWith({ ...local, ...token }, 'jobs')).toMatchObject({ code: 0 });
  expect(await cli.toolmarkWith(local, 'jobs')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^No token for .*npm start got it from TOOLMARK_ADMIN_TOKEN\. Set it here too/),
  });
});

describe('running a file', () => {
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return name;
  };
  const run = async (path: string) => {
    const { code, out, err } = await toolmark('run', path, '-m', 'simulator::perfect-ish', '--json');
    expect({ code, err }).toMatchObject({ code: 0 });
    const { eval_id } = JSON.parse(out);
    return (await system.client.get(`/api/tool-eval/history/${eval_id}`)).body.suite.id as string;
  };
  const named = async (name: string) =>
    (await system.client.get('/api/tool-suites?limit=200')).body.items.filter((one: any) => one.name === name).length;

  it('imports it once, even when formatted differently; other content is another import', async () => {
    const content = suite('Once');
    const id = await run(file('once.json', content));
    expect(await run('once.json')).toBe(id);
    const { test_cases, ...settings } = content;
    const [first, ...others] = test_cases;
    const reordered = { test_cases: [Object.fromEntries(Object.entries(first!).reverse()), ...others], ...settings };
    expect(await run(file('reordered.json', { ...reordered, pass_threshold: 1 }))).toBe(id);
    expect(await toolmark('estimate', 'once.json', '-m', 'simulator::perfect-ish')).toMatchObject({ code: 0 });
    expect(await named('Once')).toBe(1);

    expect(await run(file('changed.json', { ...content, system_prompt: 'Be brief.' }))).not.toBe(id);
    expect(await run(file('shorter.json', { ...content, test_cases: others }))).not.toBe(id);
    await system.client.patch(`/api/tool-suites/${id}`, { pass_threshold: 0.5 });
    expect(await run('once.json')).not.toBe(id);
    expect(await named('Once')).toBe(4);
  }, 60_000);

  it('distinguishes numbers that are written differently', async () => {
    const text = (number: string) =>
      JSON.stringify(suite('Numbers')).replace('"expected_params":{', `$&"n":${number},`);
    writeFileSync(join(folder, 'float.json'), text('5.0'));
    writeFileSync(join(folder, 'integer.json'), text('5'));
    expect(text('5')).toContain('"n":5,');
    const id = await run('float.json');
    expect(await run('integer.json')).not.toBe(id);
    expect(await run('float.json')).toBe(id);
  }, 60_000);

  it('removes the import again when no run starts, or after an estimate', async () => {
    file('fleeting.json', suite('Fleeting'));
    expect(await toolmark('run', 'fleeting.json', '-m', 'nobody::x')).toMatchObject({ code: 1 });
    expect(await toolmark('estimate', 'fleeting.json', '-m', 'simulator::instant')).toMatchObject({ code: 0 });
    expect(await named('Fleeting')).toBe(0);
  });
});

describe('runs and jobs are found by', () => {
  const submit = async () =>
    (
      await system.client.post('/api/tool-eval', {
        suite_id: await system.client.importSuite(suite('Found')),
        models: ['simulator::perfect-ish'],
      })
    ).body as { job_id: string; eval_id: string };
  /** The shortest prefix of an id that no other of `ids` shares. */
  const beginning = (id: string, ids: readonly string[]): string => {
    let length = 4;
    while (ids.some((other) => other !== id && other.startsWith(id.slice(0, length)))) length++;
    return id.slice(0, length);
  };

  it('unique prefixes of either id; ambiguous ones list the candidates', async () => {
    const [one, other] = [await submit(), await submit()];
    const shown = await toolmark('show', one.eval_id);
    expect(shown.out).toContain(`Run ${one.eval_id} is `);
    const runs: { id: string; job_id: string }[] = (await system.client.get('/api/tool-eval/history?limit=200')).body
      .items;
    const ids = runs.flatMap(({ id, job_id: jobId }) => [id, jobId]);
    for (const id of [one.job_id, beginning(one.job_id, ids), beginning(one.eval_id, ids)])
      expect((await toolmarkJson('show', id)).id).toBe(one.eval_id);
    expect((await toolmarkJson('show', one.eval_id.toUpperCase())).id).toBe(one.eval_id);
    const shared = one.eval_id.slice(0, 4);
    const ambiguous = await toolmark('show', shared);
    expect(ambiguous).toMatchObject({ code: 1, out: '' });
    expect(ambiguous.err).toMatch(new RegExp(`^\\d+ runs begin with "${shared}"\\. Use a longer prefix:\n`));
    for (const { eval_id } of [one, other]) expect(ambiguous.err).toContain(`${eval_id} (Found, `);
  });

  it('the name or id of a case, for a result; ambiguous names list the candidates', async () => {
    const models = 'simulator::perfect-ish,simulator::careless-arguments';
    const run = await toolmarkJson('run', 'examples/weather.json', '-m', models, '--watch');
    const ofModel = ['--model', 'simulator::careless-arguments'];
    const several = await toolmark('show', run.id, 'tokyo in fahrenheit');
    expect(several).toMatchObject({ code: 1, out: '' });
    expect(several.err).toMatch(
      /^2 results belong to the case "tokyo in fahrenheit"\. Give --model and --sample, or the id/,
    );
    const shown = await toolmark('show', run.id, 'tokyo in fahrenheit', ...ofModel, '--sample', '0');
    expect(shown.out).toMatch(/^FAIL .*\n\n[^]*^Said[^]*^Finished {3}tool_calls\n[^]*^Expected {3}\[/m);
    const { id, case_id, said } = await toolmarkJson('show', run.id, 'Tokyo in Fahrenheit', ...ofModel);
    expect(said).toEqual([expect.objectContaining({ thoughts: null, refusal: null, finish_reason: 'tool_calls' })]);
    expect((await toolmark('show', run.id, id)).out).toBe(shown.out);
    expect((await toolmark('show', run.id, case_id, ...ofModel)).out).toBe(shown.out);
    expect(await toolmark('show', run.id, 'Rome', '--sample', '1')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The run has no result of a case "Rome", sample 1\. List its results with: /),
    });
  }, 60_000);

  it('the id of the run or of its newest job, to cancel and resume', async () => {
    await system.control('instant', { on: false, status: 'hang' });
    const { eval_id: runId, job_id: jobId } = await toolmarkJson(
      'run',
      'examples/weather.json',
      '-m',
      'simulator::instant',
    );
    expect(await toolmark('cancel', runId)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Cancelled\. 0 of /),
    });
    await system.control('instant', { on: true });
    const resumed = await toolmarkJson('resume', jobId);
    expect(resumed).toMatchObject({ eval_id: runId });
    expect(resumed.job_id).not.toBe(jobId);
    await untilJobCompleted(system.client, resumed.job_id);
    expect(await toolmark('cancel', runId)).toMatchObject({ code: 1, err: 'The job is already completed.\n' });
    expect((await toolmarkJson('show', resumed.job_id)).id).toBe(runId);
  }, 60_000);

  it('a job that is not a run is reported with its type', async () => {
    const { eval_id } = await submit();
    await untilRunCompleted(system.client, eval_id);
    const { job_id: jobId } = await toolmarkJson('rescore', eval_id);
    expect(await toolmark('show', jobId)).toEqual({
      code: 1,
      out: '',
      err: `Job ${jobId} is not a run; it is a rescore.\n`,
    });
  });
});

it('lists have one shape, and continue where they ended', async () => {
  const first = await toolmarkJson('history', '--limit', '1');
  expect(first).toEqual({
    items: [expect.objectContaining({ status: expect.any(String) })],
    next_cursor: expect.any(String),
  });
  const second = await toolmarkJson('history', '--limit', '1', '--cursor', first.next_cursor);
  expect(second.items[0].id < first.items[0].id).toBe(true);
  for (const list of [
    ...['jobs', 'history', 'suites', 'providers', 'models', 'metrics', 'experiments', 'tunes', 'presets', 'prompts'],
    ...['prices', 'judges', 'judges list'],
    ...['suites list', 'providers list', 'experiments list', 'tunes list', 'presets list', 'prompts list'],
  ])
    expect(await toolmarkJson(...list.split(' '))).toMatchObject({ items: expect.any(Array) });
  const filtered = await toolmarkJson(
    'history',
    '--suite',
    'Traces',
    '--status',
    'completed',
    '--model',
    'perfect-ish',
  );
  expect(filtered).toMatchObject({ items: [{ suite: { name: 'Traces' } }] });
  const oneOfSuite = await toolmarkJson('history', '--suite', 'Traces', '--limit', '1');
  expect(oneOfSuite).toMatchObject({ items: { length: 1 } });
  expect(await toolmarkJson('history', '--suite', 'Traces', '--model', 'instant')).toEqual({ items: [] });
  expect((await toolmark('history', '--suite', 'Traces', '--status', 'failed')).out).toBe('No runs match.\n');
});

it('--fail-under goes by the interval of the pass rate; a bad file and a provider without answers fail', async () => {
  const run = (least: string, model = 'simulator::careless-arguments') =>
    toolmark('run', 'Traces', '-m', model, '--cache', 'off', '--watch', '--fail-under', least);
  expect(await run('0')).toMatchObject({ code: 0 });
  expect(await run('1.1')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/is completed/),
    err: expect.stringMatching(/simulator::careless-arguments passes .* less than 110\.0 %/),
  });
  expect(await run('0.5')).toMatchObject({
    code: 3,
    err: expect.stringMatching(/may or may not be less than 50\.0 %/),
  });
  await system.control('instant', { on: false, status: 401 });
  expect(await run('0', 'simulator::instant')).toMatchObject({ code: 4, err: expect.stringMatching(/no pass rate/) });
  await system.control('instant', { on: true });
  writeFileSync(
    join(folder, 'bad.json'),
    JSON.stringify({ ...suite('Bad'), test_cases: [{ prompt: 'x', expected_tool: 'no' }] }),
  );
  expect(await toolmark('suites', 'check', 'bad.json')).toMatchObject({ code: 1, err: expect.stringMatching(/"no"/) });
  const add = ['providers', 'add', 'silent', '--url', 'http://127.0.0.1:9/v1', '--models', 'a', '--api-key-stdin'];
  const { child, ended } = cli.start('toolmark', [...add, '--json']);
  child.stdin.end('sk-secret-key-1234\n');
  expect(JSON.parse((await ended).out)).toMatchObject({ key: 'silent', api_key_last4: '1234', models: [{ id: 'a' }] });
  expect(await toolmark('providers', 'test', 'silent')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/does not answer/),
  });
  const priced = ['providers', 'add', 'priced', '--url', 'https://api.openai.com/v1', '--models', 'gpt-5-mini,gpt-99'];
  const { code, out, err } = await toolmark(...priced, '--json');
  expect({ code, models: JSON.parse(out).models }).toMatchObject({
    code: 0,
    models: [{ input_cost_per_mtok: 0.25, cache_read_cost_per_mtok: 0.025 }, { input_cost_per_mtok: null }],
  });
  expect(err).toMatch(
    /^Prices from the table of 20\d\d-.+\n {2}gpt-5-mini: \$0\.25 in, \$2 out, \$0\.025 from the cache\./,
  );
  expect(err).toContain('No price is known for gpt-99');
  expect((await toolmark('models', 'priced')).out).toMatch(/gpt-5-mini +\$0\.25 +\$2 +\$0\.025/);
  priced.splice(2, 1, 'unpriced');
  expect(JSON.parse((await toolmark(...priced, '--no-prices', '--json')).out).models).toMatchObject([
    { input_cost_per_mtok: null, cache_read_cost_per_mtok: null },
    { input_cost_per_mtok: null },
  ]);
  expect(await toolmark('providers', 'add', 'groq')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/needs a key/),
  });
  expect(await toolmark('providers', 'add', 'grok1')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/No known host/),
  });
}, 60_000);

it('a provider gets headers from variables and arguments, which are changed one by one and never printed', async () => {
  const env = { GATEWAY_KEY: 'g-very-secret-1' };
  const gateway = `${system.simulator.url}/gateway/403/x-team=blue,!authorization/v1`;
  const headers = '--header-env x-gateway-key=GATEWAY_KEY --routing-header x-team=red';
  const added = await cli.inShell(`toolmark providers add headed --url ${gateway} ${headers} -m perfect-ish`, env);
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^Added headed with 1 models/) });
  expect(await toolmark('providers', 'test', 'headed')).toMatchObject({
    code: 1,
    out: expect.stringContaining("Check the provider's headers (x-gateway-key, x-team)"),
  });
  const update = ['providers', 'update', 'headed'];
  expect(await toolmark(...update, '--routing-header', 'X-Team=blue', '--requests-per-minute', '600')).toMatchObject({
    code: 0,
  });
  expect(await toolmark('providers', 'test', 'headed')).toMatchObject({ code: 0 });
  const { out } = await toolmark('providers', 'show', 'headed');
  expect(out).toMatch(/headers +x-gateway-key \(secret\)\n +X-Team \(routing\)\n/);
  expect(out).toMatch(/limits +8 concurrent, 600 requests\/min/);
  expect(out).not.toMatch(/very-secret|blue\n/);
  expect(
    await toolmarkJson(...update, '--remove-header', 'x-gateway-key', '-m', 'instant', '--no-prices'),
  ).toMatchObject({
    headers: [{ name: 'X-Team', kind: 'routing' }],
    models: [{ id: 'perfect-ish' }, { id: 'instant' }],
  });
  expect(await toolmarkJson(...update, '--requests-per-minute', 'none', '--remove-model', 'instant')).toMatchObject({
    limits: { requests_per_minute: null },
    models: [{ id: 'perfect-ish' }],
  });
  expect(await toolmark(...update, '--remove-header', 'x-none')).toMatchObject({ code: 2 });
  expect(await toolmark(...update)).toMatchObject({ code: 2, err: expect.stringMatching(/^Say what to change/) });
  expect(await toolmark(...update, '--api-key-ref', 'env:NOBODY_LISTED')).toMatchObject({ code: 1 });
}, 60_000);

describe('runs are compared', () => {
  interface Named {
    id: string;
    job_id: string;
  }
  let good: Named;
  let bad: Named;
  let both: Named;
  const api = (path: string) => system.client.get(path).then(({ body }) => body);

  beforeAll(async () => {
    await system.client.post('/api/tool-eval/import', suite('Compared'));
    const run = async (models: string) => toolmarkJson('run', 'Compared', '-m', models, '--watch');
    good = await run('simulator::perfect-ish');
    bad = await run('simulator::careless-arguments');
    both = await run('simulator::perfect-ish,simulator::careless-arguments');
  }, 60_000);

  it('with the server’s sentence, one line per model, and the broken cases with expected and called', async () => {
    const comparison = await api(`/api/compare?a=${good.id}&b=${bad.id}`);
    const { items: broken } = await api(`/api/compare/items?a=${good.id}&b=${bad.id}&outcome=broken`);
    expect(broken.length).toBeGreaterThan(0);

    const { code, out, err } = await toolmark('compare', good.id, bad.job_id);
    expect({ code, err }).toEqual({ code: 0, err: '' }); // Regardless of the verdict.
    expect(out.split('\n')[0]).toBe(comparison.all.text);
    expect(out).toContain(`\nBaseline     ${good.id}, Compared v1, `);
    expect(out).toMatch(/^Changed {6}\S+: .*perfect-ish.* -> .*careless-arguments/m);
    expect(out).toMatch(
      /^simulator::perfect-ish -> simulator::careless-arguments +[\d.]+ % +[\d.]+ % +-[\d.]+ points \(-/m,
    );
    for (const { case_name, prompt, b } of broken) {
      expect(out).toContain(`\n  ${case_name ?? prompt}\n`);
      for (const { name } of b.called) expect(out).toMatch(new RegExp(`^ {6}Called {7}.*\\b${name}\\(`, 'm'));
      for (const sentence of b.explanation.slice(0, 5))
        expect(out).toContain(`      Why          ${sentence.slice(0, 200)}`);
    }
    expect(await toolmarkJson('compare', good.id, bad.id)).toEqual({ ...comparison, broken });
  });

  it('for a pull request', async () => {
    const { code, out } = await toolmark('compare', good.id, bad.id, '--markdown');
    expect(code).toBe(0);
    expect(out).toMatch(/^# .+\n\n- Baseline: .+\n[^]*\n\n\| model \|/);
    expect(out).toContain('<details><summary>Broken cases: ');
  });

  it('by another measure and margin, by groups of cases, and with a margin of 0', async () => {
    const settings = ['--measure', 'passed', '--margin', '0', '--cluster-by', 'tag:x', '--max-errored-share', '1'];
    const compared = await toolmarkJson('compare', good.id, bad.id, ...settings);
    const { broken: _broken, ...comparison } = compared;
    expect(comparison).toEqual(
      await api(`/api/compare?a=${good.id}&b=${bad.id}&measure=passed&margin=0&cluster_by=tag:x&max_errored_share=1`),
    );
    expect(comparison.all).toMatchObject({ measure: 'passed', cases_for_margin: null });
  });

  it('several with the first one, and models within one run', async () => {
    const { comparisons } = await toolmarkJson('compare', good.id, bad.id, both.id);
    expect(comparisons).toMatchObject([
      { a: { id: good.id }, b: { id: bad.id }, broken: expect.any(Array) },
      { a: { id: good.id }, b: { id: both.id }, broken: [] },
    ]);
    const text = await toolmark('compare', good.id, bad.id, both.id);
    for (const { all } of comparisons) expect(`\n${text.out}`).toContain(`\n${all.text}\n`);
    const pair = 'simulator::careless-arguments~simulator::perfect-ish';
    expect(await toolmarkJson('compare', both.id, both.id, '--pairs', pair)).toMatchObject({
      targets: [{ a: 'simulator::careless-arguments', b: 'simulator::perfect-ish' }],
      broken: [],
    });
  });

  it('with the verdicts of a rescore', async () => {
    const rescore = await toolmarkJson('rescore', bad.id, '--pass-threshold', '0', '--watch');
    const compared = await toolmarkJson('compare', good.id, bad.id, '--rescore-b', rescore.id, '--measure', 'passed');
    expect(compared).toMatchObject({ b: { rescore_id: rescore.id }, outcomes: { broken: 0 }, broken: [] });
  });

  it('and runs that cannot be compared are refused with a suggestion', async () => {
    const seven = Array.from({ length: 7 }, () => good.id);
    for (const [args, code, message] of [
      [['compare', good.id], 2, "error: missing required argument 'run'"],
      [['compare', good.id, bad.id, '--json', '--markdown'], 2, 'Choose one of --json and --markdown.'],
      [
        ['compare', good.id, bad.id, both.id, '--rescore-a', 'abcd'],
        2,
        '--rescore-a and --rescore-b need exactly two runs.',
      ],
      [['compare', good.id, 'abc123'], 1, 'No run or job has the id "abc123".'],
      [['compare', good.id, bad.id, '--rescore-b', 'abcd'], 1, `Run ${bad.id} has no rescore with the id "abcd".`],
      [['compare', good.id, bad.id, '--margin', '-1'], 1, 'margin'],
      [['compare', good.id, bad.id, '--pairs', 'x~y'], 1, 'x'],
      [['compare', ...seven], 1, '6'],
    ] as const)
      expect(await toolmark(...(args as readonly string[]))).toMatchObject({
        code,
        err: expect.stringContaining(message),
      });
  });
});

describe('an experiment', () => {
  const run = (...more: string[]) => toolmark('run', 'Tried', '--experiment', 'tries', '--watch', ...more);
  let created: Record<string, any>;

  beforeAll(async () => {
    await system.client.post('/api/tool-eval/import', suite('Tried'));
    const settings = ['--description', 'Which model?', '--margin', '0', '--measure', 'passed'];
    created = await toolmarkJson('experiments', 'create', 'Tries', '--suite', 'Tried', ...settings);
  });
  const shown = async () => {
    await until(async () => !(await toolmarkJson('experiments', 'show', 'Tries')).refreshing);
    return (await toolmark('experiments', 'show', 'Tries')).out;
  };

  it('is created, found by name, id or id prefix, and listed', async () => {
    expect(created).toMatchObject({ name: 'Tries', margin: 0, measure: 'passed', status: 'active' });
    for (const name of ['tRIES', created.id, created.id.slice(0, 20)])
      expect(await toolmarkJson('experiments', 'show', name)).toMatchObject({ id: created.id });
    expect(await shown()).toMatch(/^Baseline {5}none yet/m);
    const listed = await toolmarkJson('experiments', 'list', '--suite', 'Tried');
    expect(listed).toEqual({ items: [expect.objectContaining({ id: created.id })] });
    expect(await toolmarkJson('experiments')).toMatchObject({ items: expect.any(Array) });
    expect((await toolmark('experiments', 'timeline', 'Tries')).out).toMatch(/^Nothing has finished yet/);
    expect(await toolmark('experiments', 'show', 'Trials')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^No experiment has the name or id "Trials"\. .*Tries/),
    });
  });

  it('compares its runs: a watched run says how it differs, and the timeline never shows a bare delta', async () => {
    const first = await run('-m', 'simulator::careless-arguments');
    expect(first.out).toContain('\nThis run is the baseline of its experiment: ');
    const second = await run('-m', 'simulator::careless-arguments', '--temperature', '0.5');
    const runId = /Run (\S+) is completed/.exec(second.out)![1];
    const { comparison } = (await system.client.get(`/api/tool-eval/history/${runId}`)).body;
    expect(second.out).toContain(`\nAgainst the baseline: ${comparison.text}\nDelta: `);
    const other = await run('-m', 'simulator::perfect-ish');
    expect(other.out).toMatch(/^Delta: none \(other models\); compared: \S+ points \(.+\), [a-z_]+$/m);

    const { items } = await toolmarkJson('experiments', 'timeline', 'Tries');
    expect(items.map((entry: any) => entry.is_baseline)).toEqual([true, false, false]);
    const [heading, ...lines] = (await toolmark('experiments', 'timeline', 'Tries')).out.trim().split('\n');
    expect(heading).toMatch(/^ended +what +id +name +status +score +delta to the baseline +mark +settings/);
    expect(lines[0]).toMatch(/ - +baseline/);
    expect(lines[1]).toContain(comparison.verdict);
    expect(lines[2]).toContain('none (other models); compared: ');
    expect(await toolmarkJson('history', '--experiment', 'Tries')).toMatchObject({ items: { length: 3 } });
  }, 60_000);

  it('shows its baseline, its best run, and the number of comparisons with this baseline', async () => {
    expect(await shown()).toMatch(/^Baseline {5}[\d.]+ %, run \S+ \(the first run that completed\)$/m);
    const { best } = await toolmarkJson('experiments', 'show', 'Tries');
    expect(await shown()).toContain(`\nBest         ${(100 * best.score).toFixed(1)} %, run ${best.eval_id} (`);
    expect(await shown()).toMatch(/^Compared {5}2 with this baseline; .* 0\.10 of them/m);
    expect(await shown()).toMatch(/^Now {10}(Better|Worse|As good|Too close)/m);

    const {
      items: [newest],
    } = await toolmarkJson('history', '--experiment', 'Tries');
    expect(await toolmark('experiments', 'baseline', 'Tries', newest.id.slice(0, 20))).toMatchObject({ code: 0 });
    expect(await shown()).toContain(`run ${newest.id} (pinned)`);
  });

  it('runs its best configuration again', async () => {
    await shown();
    const submitted = await toolmarkJson('experiments', 'run-best', 'Tries', '--samples', '2', '--max-requests', '100');
    expect(submitted).toMatchObject({
      eval_id: expect.any(String),
      config_used: { samples: 2, budget: { max_requests: 100 } },
    });
    const watched = await toolmark('experiments', 'run-best', 'Tries', '--watch');
    expect(watched).toMatchObject({ code: 0, out: expect.stringMatching(/^Delta: /m) });
  }, 60_000);

  it('is archived (and then refuses runs), reactivated, and deleted without its runs', async () => {
    expect((await toolmark('experiments', 'archive', 'Tries')).out).toBe(`Experiment ${created.id} is archived.\n`);
    expect(await run('-m', 'simulator::perfect-ish')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/archived/),
    });
    const listed = async (status: string) =>
      (await toolmarkJson('experiments', 'list', '--status', status)).items.some((one: any) => one.id === created.id);
    expect([await listed('active'), await listed('archived'), await listed('all')]).toEqual([false, true, true]);
    expect(await toolmarkJson('experiments', 'activate', 'Tries')).toMatchObject({ status: 'active' });
    const before = (await toolmarkJson('history', '--suite', 'Tried')).items.length;
    expect(await toolmarkJson('experiments', 'delete', 'Tries')).toEqual({ id: created.id });
    expect((await toolmarkJson('history', '--suite', 'Tried')).items.length).toBe(before);
    expect((await toolmark('experiments', 'show', created.id)).code).toBe(1);
  }, 60_000);
});

it('help and lists load neither zod nor scoring nor Socket.IO', async () => {
  const commands = [
    '--help',
    '--version',
    'suites',
    'history',
    'jobs',
    'providers',
    'models',
    'prices',
    'metrics',
    'experiments',
    'gates',
    'tunes',
    'presets',
    'prompts',
    'prompts show abc1',
    'tunes show abc1',
    'tunes candidates abc1',
    'tune prompt none --models a --meta-model b',
    'gate abc1 --eval abc2',
    'experiments timeline 019aa8a2-5c1e-7000-8000-000000000011',
    'show abc1',
    'compare abc1 abc2',
  ];
  const preload = `data:text/javascript,${encodeURIComponent(
    'import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) {' +
      'process.stderr.write(url + "\\n"); return next(url, context); } });',
  )}`;
  const script = `import { runProgram } from '${resolve('dist/apps/cli/run-program.js')}';
    for (const command of ${JSON.stringify(commands)}) {
      process.stderr.write(\`toolmark \${command}\n\`);
      await runProgram(command.split(' '));
    }`;
  const args = ['--import', preload, '--input-type=module', '--eval', script];
  const { err } = await cli.spawned(resolve('node_modules/.bin/node'), args);
  expect(err).toContain('/apps/cli/commands/');
  expect(err).not.toMatch(/node_modules\/(?!commander\/)|libs\/scoring|libs\/recorded/);
  for (const command of commands) expect(err).toContain(`\ntoolmark ${command}\n`);
}, 60_000);

it('bash completes commands, options, choices and file names', async () => {
  const lines = [['sui'], ['suites', 'ex'], ['suites', 'export', 'Weather', '--format', 'y'], ['run', 'x', '--fail']];
  const completed = [...lines, ['suites', 'import', '']].map((words) =>
    [
      `COMP_WORDS=(${shellLine(['toolmark', ...words])}) COMP_CWORD=${words.length}`,
      '_toolmark',
      `echo "\${COMPREPLY[*]}"`,
    ].join('\n'),
  );
  const { out } = await cli.spawned('bash', ['-c', ['source <(toolmark completion bash)', ...completed].join('\n')]);
  expect(out.split('\n').slice(0, -1)).toEqual(['suites', 'export', 'yaml', '--fail-under', '']);
});

const program = await createProgram('0');

describe('every example in the help of a command works', () => {
  const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)]);
  const examples = below(program).flatMap((command) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    return [...help.matchAll(/^ +\$ (.+)$/gm)].map(([, line]) => line!);
  });
  /**
   * The values of placeholders in capitals, in the order that the examples need: a run is cancelled before it is
   * resumed.
   */
  const words: Record<string, string> = {};
  const run = async (line: string): Promise<CommandResult> => {
    const filled = line.replaceAll(/\b[A-Z_]{3,}\b(?!")/g, (word) => words[word] ?? word);
    if (line.startsWith('toolmark score')) return cli.spawned('sh', ['-c', filled]); // It sets V8 flags.
    if (!line.startsWith('toolmark label RUN --judge'))
      return cli.inShell(filled, { OPENAI_API_KEY: 'sk-none', GATEWAY_KEY: 'g-none' });
    const { child, ended } = cli.start('sh', ['-c', filled]);
    child.stdin.end('q\n');
    return ended;
  };

  beforeAll(async () => {
    const { client } = system;
    // A test above imported Weather.
    const { suite_id: old } = (await client.post('/api/tool-eval/import', suite('Old suite'))).body;
    const version = { suite_id: old, components: { system_prompt: 'Be brief.' } };
    words.VERSION = (await client.post('/api/prompt-versions', version)).body.id;
    const [prompt] = suite('').test_cases as { prompt: string }[];
    const call = { id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } };
    writeFileSync(
      join(folder, 'replies.jsonl'),
      JSON.stringify({ case: (prompt as any).name, reply: { role: 'assistant', tool_calls: [call] } }),
    );
    const metrics = (await client.get('/api/metrics')).body.items as { example: object }[];
    writeFileSync(join(folder, 'calls.jsonl'), metrics.map(({ example }) => JSON.stringify(example)).join('\n'));
    const drafts = await toolmarkJson(
      'suites',
      'import',
      'traces.json',
      '--format',
      'otlp',
      '--name',
      'From production',
    );
    const [draft] = (await client.get(`/api/tool-suites/${drafts.suite_id}/cases`)).body.items;
    const models = 'simulator::careless-arguments,simulator::perfect-ish';
    const done = await toolmarkJson('run', 'Weather', '-m', models, '--watch');
    const [result] = (await client.get(`/api/tool-eval/history/${done.id}/results`)).body.items;
    await toolmark('note', done.id, '0-0-0', 'Ask again.');
    await toolmark('run', 'Old suite', '-m', 'simulator::perfect-ish', '--watch');
    await client.patch(`/api/tool-suites/${old}`, { description: 'Changed since.' });
    const other = await toolmarkJson('run', 'Weather', '-m', 'simulator::perfect-ish', '--watch');
    for (const name of ['main', 'Old gate'])
      await toolmarkJson('gates', 'create', name, '--suite', 'Weather', '--baseline', other.id, '--looks', '1');
    for (const name of ['Prompts', 'Old prompts'])
      await toolmarkJson('experiments', 'create', name, '--suite', 'Weather', '--baseline', done.id);
    await toolmark('run', 'Weather', '-m', models, '--watch', '--experiment', 'Prompts');
    const space = ['--space', 'temperature=0,1', '--mode', 'grid', '--holdout', '0', '--watch'];
    const tune = () => toolmarkJson('tune', 'params', 'Weather', '-m', 'simulator::perfect-ish', ...space);
    const [tuned, oldTune] = [await tune(), await tune()];
    const written = ['--meta-model', 'simulator::perfect-ish', '--mode', 'quick', '--components', 'system_prompt'];
    const ofPrompts = ['tune', 'prompt', 'Weather', '-m', 'simulator::perfect-ish', ...written, '--watch'];
    const promptTune = await toolmarkJson(...ofPrompts);
    await toolmarkJson('presets', 'save', 'Old preset', '--space', 'temperature=0,1');
    const judge = () => toolmarkJson('judge', done.id, '--judge', 'simulator::judge:right');
    const [judged, oldReport] = [await judge(), await judge()];
    writeFileSync(join(folder, 'token.txt'), client.token);
    writeFileSync(join(folder, 'labels.jsonl'), JSON.stringify({ result_id: result.id, label: 'wrong' }));
    await until(async () => (await toolmarkJson('experiments', 'show', 'Prompts')).best !== null);
    await system.control('instant', { on: false, status: 'hang' });
    const running = await toolmarkJson('run', 'Weather', '-m', 'simulator::instant', '--cache', 'off');
    Object.assign(words, {
      RUN: done.id,
      OTHER_RUN: other.id,
      RESULT: result.id,
      CASE: draft.id,
      RUNNING_RUN: running.eval_id,
      LANE: (await toolmarkJson('lanes')).items[0].id,
      TUNE: tuned.id,
      OLD_TUNE: oldTune.id,
      PROMPT_TUNE: promptTune.id,
      REPORT: judged.id,
      OLD_REPORT: oldReport.id,
    });
    words.CANCELLED_RUN = words.RUNNING_RUN!;
  }, 150_000);

  it('and there are enough of them', () => expect(examples.length).toBeGreaterThan(25));

  // A run waits for its user's other runs, so the hanging one must end first; a second suite with the same name comes
  // last.
  const first = ['toolmark cancel', 'toolmark resume'];
  const last = ['toolmark suites import', 'toolmark suites delete', 'toolmark experiments delete'];
  /** The decisions of a gate on a run with few cases. */
  const gateAnswers = [0, 1, 3];
  const startsLike = (starts: string[]) => (line: string) => starts.some((start) => line.startsWith(start));
  const ordered = [
    ...first.flatMap((start) => examples.filter(startsLike([start]))),
    ...examples.filter((line) => !startsLike([...first, ...last])(line)),
    ...examples.filter(startsLike(last)),
  ];
  it.each(ordered)(
    '%s',
    async (line) => {
      if (line.startsWith('toolmark resume')) await system.control('instant', { on: true });
      const { code, out, err } = await run(line);
      const isGate = /^toolmark gate |--gate /.test(line);
      const failed = gateAnswers.includes(code!) ? '' : out + err;
      if (isGate) expect({ failed, err: err.replace(/^Warning: .*\n/gm, '') }).toEqual({ failed: '', err: '' });
      else expect({ code, err: code === 0 ? '' : err + out }).toEqual({ code: 0, err: '' });
      expect(out.length > 0 || /--out|--html/.test(line)).toBe(true);
    },
    60_000,
  );
});
