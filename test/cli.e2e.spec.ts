import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ADMIN_TOKEN } from './processes.js';
import { startSystem, type System } from './system.js';

let system: System;
const folder = mkdtempSync(join(tmpdir(), 'toolmark-cli-'));
beforeAll(async () => {
  system = await startSystem();
  await system.client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    models: [{ id: 'perfect-ish' }],
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The built command, of a user who never logged in. */
const toolmarkAs =
  (env: Record<string, string>) =>
  (...args: string[]) =>
    new Promise<{ code: number | null; out: string; err: string }>((ended) => {
      const child = spawn(resolve('node_modules/.bin/node'), [resolve('dist/apps/cli/main.js'), ...args], {
        env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder, ...env },
      });
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      child.on('close', (code) => ended({ code, out, err }));
    });
const toolmark = (...args: string[]) =>
  toolmarkAs({ TOOLMARK_SERVER: system.client.url, TOOLMARK_TOKEN: ADMIN_TOKEN })(...args);

it('a trace becomes drafts, which take part in a run by the suite’s name once somebody has confirmed them; results are found by run and by job', async () => {
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

  const imported = await toolmark('suites', 'import', file, '--format', 'otlp', '--name', 'From production');
  expect(imported).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Imported 1 cases as suite/),
    err: expect.stringMatching(/does not describe its tools[^]*All cases are drafts/),
  });
  expect(await toolmark('run', 'From production', '--models', 'sim::perfect-ish')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/are drafts/),
  });

  const listed = await toolmark('suites', 'drafts', 'From production');
  const [, draft] =
    /^(\S+)  What is the weather in Paris\?  get_weather\("city":"Paris","days":1\.0\)  otlp trace 4bf92f35 span 00f067aa$/m.exec(
      listed.out,
    )!;
  expect(await toolmark('suites', 'confirm', 'From production', draft!, 'x')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^"x" is no draft/),
  });
  expect(await toolmark('suites', 'confirm', 'from Production', draft!)).toMatchObject({
    code: 0,
    out: `Confirmed ${draft}\n`,
  });
  expect((await toolmark('suites', 'drafts', 'From production')).out).toBe('The suite has no drafts.\n');
  const { out: exported } = await toolmark('suites', 'export', 'From production', '--format', 'jsonl');
  expect(exported).toContain('"days":1.0');
  expect(exported).toContain('"source":"otlp trace 4bf92f35 span 00f067aa"');
  expect(exported).not.toContain('draft');

  const run = await toolmark('run', 'From production', '--models', 'sim::perfect-ish', '--watch');
  const [, runId] = /Run (\S+) is completed/.exec(run.out)!;
  const [job] = JSON.parse((await toolmark('jobs', '--json')).out);
  const jobs = (await toolmark('jobs')).out.split('\n').map((line) => line.split(/ {2,}/));
  expect(jobs[0]).toEqual(['job', 'type', 'status', 'done', 'score', 'suite', 'models', 'run', 'submitted']);
  expect(jobs[1]).toEqual([
    job.id,
    'tool_eval',
    'completed',
    '1/1',
    expect.stringMatching(/%$/),
    expect.stringMatching(/^From production v\d/),
    'sim::perfect-ish',
    runId,
    job.created_at,
  ]);
  const byRun = await toolmark('results', runId!);
  expect(byRun.out).toMatch(/^(pass|FAIL) {2}sim::perfect-ish {2}What is the weather/);
  expect(await toolmark('results', job.id)).toEqual(byRun);
}, 60_000);

it('a name that several suites have, or none, is told with what there is', async () => {
  const suite = JSON.parse(readFileSync(resolve('examples/weather.json'), 'utf8'));
  const ids = await Promise.all(
    ['Twins', 'Twins'].map(
      async (name) => (await system.client.post('/api/tool-eval/import', { ...suite, name })).body.suite_id,
    ),
  );
  const twins = await toolmark('run', 'Twins', '--models', 'sim::perfect-ish');
  expect(twins).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^2 suites are named "Twins"\. Give the id of one: /),
  });
  for (const id of ids) expect(twins.err).toContain(`${id} (v1, `);
  expect(await toolmark('run', 'Twinz', '--models', 'a')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No suite has the name or id "Twinz", and there is no file of that name\. .*Twins/),
  });
});

it('what does not exist is said in words of its own', async () => {
  expect(await toolmark('--version')).toEqual({
    code: 0,
    out: `toolmark ${JSON.parse(readFileSync(resolve('package.json'), 'utf8')).version}\n`,
    err: '',
  });
  expect(await toolmark('jobs', '--limit', '5')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No option "--limit"\. Nearest of the options, .*See toolmark --help\n$/),
  });
  expect(await toolmark('jobs', '--models', 'a')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^toolmark jobs takes no --models\. Its options: --json, --server/),
  });
  expect(await toolmark('run', 'Weather', 'API', '--models', 'a')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^toolmark run does not know what "API" is for\./),
  });
  expect(await toolmark('result')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No command "result"\. Nearest of the commands, 8 in all: results, /),
  });
  const unknown = '01a20337-509b-7ecb-afd1-915d2a3585e8';
  for (const id of [unknown, 'abc123'])
    expect(await toolmark('results', id)).toEqual({
      code: 1,
      out: '',
      err: `No run and no job has the id "${id}". The last ones: toolmark jobs\n`,
    });
});

it('the server that npm start runs is found with the token that it was given, and without one it is asked for', async () => {
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ url: system.client.url }));
  const local = { TOOLMARK_DATA_DIR: folder };
  expect(await toolmarkAs({ ...local, TOOLMARK_ADMIN_TOKEN: ADMIN_TOKEN })('jobs')).toMatchObject({ code: 0 });
  expect(await toolmarkAs(local)('jobs')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No token for .*npm start was given one in TOOLMARK_ADMIN_TOKEN\. Set it here too/),
  });
});
