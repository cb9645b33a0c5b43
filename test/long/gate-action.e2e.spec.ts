import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { joinSystem, type TeamSystem } from '../system.js';
import { untilRunCompleted } from '../until-ended.js';

const node = resolve('node_modules/.bin/node');
const folder = mkdtempSync(join(tmpdir(), 'toolmark-ci-'));
const bundle = join(folder, 'alone', 'toolmark.mjs');
let system: TeamSystem;
let gate: any;
const runs: Record<string, any> = {};

interface Ran {
  code: number | null;
  out: string;
  err: string;
}
const spawned = (file: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<Ran>((ended) => {
    const child = spawn(file, args, { cwd: folder, env: { PATH: process.env.PATH!, XDG_CONFIG_HOME: folder, ...env } });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('close', (code) => ended({ code, out, err }));
  });
const server = () => ({ TOOLMARK_SERVER: system.client.url, TOOLMARK_TOKEN: system.client.token });
const alone = (...args: string[]) => spawned(node, [bundle, ...args], server());

const suite = {
  name: 'Orders',
  tools: [
    {
      type: 'function',
      function: {
        name: 'track_order',
        description: 'Say where an order is.',
        parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      },
    },
    { type: 'function', function: { name: 'wait', description: 'Wait.', parameters: { type: 'object' } } },
  ],
  test_cases: Array.from({ length: 40 }, (_, n) => ({
    prompt: `Where is order A-${n}? | @octocat #1 <b>`,
    expected_tool: 'track_order',
    expected_params: { number: `A-${n}` },
  })),
};

beforeAll(async () => {
  mkdirSync(join(folder, 'alone'));
  const [, bundled] = await Promise.all([
    joinSystem().then((started) => (system = started)),
    spawned(node, [resolve('scripts/bundle-cli.mjs'), bundle]),
  ]);
  expect(bundled.code).toBe(0);
  const { client, simulator } = system;
  const models = ['perfect-ish', 'wrong-tool'];
  await client.post('/api/providers', { key: 'simulator', base_url: `${simulator.url}/v1`, models });
  const suite_id = await client.importSuite(suite);
  for (const [name, model] of [
    ['baseline', 'perfect-ish'],
    ['equal', 'perfect-ish'],
    ['worse', 'wrong-tool'],
  ] as const) {
    const { eval_id } = (await client.post('/api/tool-eval', { suite_id, models: [`simulator::${model}`] })).body;
    runs[name] = { id: eval_id };
  }
  for (const { id } of Object.values(runs)) await untilRunCompleted(client, id);
  const made = await client.post('/api/gates', {
    name: 'main | @octocat',
    suite_id,
    baseline: { eval_id: runs.baseline.id },
    margin: 0.1,
  });
  gate = made.body;
}, 150_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the single-file CLI, alone in a folder', () => {
  it('prints its version and help', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(readdirSync(join(folder, 'alone'))).toEqual(['toolmark.mjs']);
    expect(await alone('--version')).toEqual({ code: 0, out: `toolmark ${version}\n`, err: '' });
    expect((await alone('gate', '--help')).out).toContain('--junit');
  });

  it('follows a run live, and scores without a server', async () => {
    const ran = await alone('run', 'Orders', '-m', 'simulator::perfect-ish', '--watch', '--fail-under', '0.5');
    expect(ran).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/is completed/) });
    const [metric] = (await system.client.get('/api/metrics')).body.items;
    writeFileSync(join(folder, 'calls.jsonl'), JSON.stringify(metric.example));
    expect(await alone('score', '--in', 'calls.jsonl')).toMatchObject({ code: 0, err: '' });
  });

  it('runs a gate: an equal run passes, a worse one fails', async () => {
    expect(await alone('gate', gate.name, '--eval', runs.equal.id)).toMatchObject({ code: 0, err: '' });
    const reports = ['--junit', 'gate.xml', '--markdown', 'gate.md', '--json', 'gate.json'];
    const failed = await alone('gate', gate.id.slice(0, 13), '--eval', runs.worse.id, ...reports);
    const answer = (await system.client.get(`/api/gates/${gate.id}/check?eval_id=${runs.worse.id}`)).body;
    expect(answer.result).toBe('fail');
    expect(failed).toMatchObject({ code: 1, err: '' });
    expect(failed.out).toContain(answer.text);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(JSON.parse(read('gate.json'))).toMatchObject({ ...answer, gate_run_id: null });
    expect(JSON.parse(read('gate.json')).broken).toHaveLength(20);
    expect(read('gate.xml')).toMatch(/<testsuite name="simulator::wrong-tool" tests="40" failures="40" /);
    expect(read('gate.md').split('\n')[0]).toBe(`<!-- toolmark:${gate.id} -->`);
    expect(read('gate.md')).toContain('- and 20 more');
  });

  it('names the server that cannot be reached', async () => {
    const away = await spawned(node, [bundle, 'gate', 'x', '--json', 'never.json'], {
      TOOLMARK_SERVER: 'http://127.0.0.1:9',
      TOOLMARK_TOKEN: 'x',
    });
    expect(away).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^The server cannot be reached/) });
    expect(existsSync(join(folder, 'never.json'))).toBe(false);
  });
});

describe('the step of the action', () => {
  interface Comment {
    id: number;
    body: string;
    user: { type: string; login: string };
  }
  let github: Server;
  let comments: Comment[];
  let requests: string[];
  let refuses: boolean;
  const bot = { type: 'Bot', login: 'github-actions[bot]' };
  const person = { type: 'User', login: 'octocat' };
  const talk = (count: number): Comment[] =>
    Array.from({ length: count }, (_, id) => ({ id, body: `Comment ${id}`, user: person }));

  /** The part of GitHub's REST API that the script uses. */
  const answerOf = (method: string, url: URL, body: string): [status: number, answer: unknown] => {
    if (url.pathname === '/user') return [403, { message: 'Resource not accessible by integration' }];
    if (refuses && method !== 'GET') return [403, { message: 'Resource not accessible by integration' }];
    const own = /^\/repos\/me\/project\/issues\/comments\/(\d+)$/.exec(url.pathname);
    if (method === 'PATCH' && own) {
      const comment = comments.find(({ id }) => id === Number(own[1]))!;
      return [200, Object.assign(comment, JSON.parse(body))];
    }
    if (url.pathname !== '/repos/me/project/issues/7/comments') return [404, {}];
    if (method === 'POST') {
      comments.push({ id: 1000 + comments.length, user: bot, ...JSON.parse(body) });
      return [201, comments.at(-1)];
    }
    const [size, page] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name)));
    return [200, comments.slice((page! - 1) * size!, page! * size!)];
  };

  beforeAll(async () => {
    github = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        requests.push(`${request.method} ${request.url}`);
        const isKnown = request.headers.authorization === 'Bearer ghs_secret';
        const [status, answer] = isKnown
          ? answerOf(request.method!, new URL(request.url!, 'http://github'), body)
          : [401, {}];
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((ready) => github.listen(0, '127.0.0.1', ready));
  });
  afterAll(() => github.close());
  beforeEach(() => ([comments, requests, refuses] = [talk(3), [], false]));

  const step = async (given: Record<string, string> = {}, event: object = { pull_request: { number: 7 } }) => {
    const temp = mkdtempSync(join(folder, 'runner-'));
    const file = (name: string) => join(temp, name);
    writeFileSync(file('event.json'), JSON.stringify(event));
    const ran = await spawned(node, [resolve('scripts/ci-action.mjs')], {
      ...server(),
      GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
      GITHUB_REPOSITORY: 'me/project',
      GITHUB_EVENT_PATH: file('event.json'),
      GITHUB_STEP_SUMMARY: file('summary.md'),
      GITHUB_OUTPUT: file('outputs'),
      RUNNER_TEMP: temp,
      TOOLMARK_COMMAND: bundle,
      TOOLMARK_COMMENT: 'true',
      TOOLMARK_GITHUB_TOKEN: 'ghs_secret',
      TOOLMARK_GATE: gate.name,
      TOOLMARK_MODELS: '',
      TOOLMARK_ARGUMENTS: `--eval ${runs.worse.id}`,
      ...given,
    });
    const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
    const outputs = read('outputs').matchAll(/^(.+)<<(end-.+)\n([^]*?)\n\2$/gm);
    return {
      ...ran,
      summary: read('summary.md'),
      outputs: Object.fromEntries([...outputs].map(([, name, , value]) => [name!, value!])) as Record<string, string>,
    };
  };
  const ours = () => comments.filter(({ body }) => body.startsWith(`<!-- toolmark:${gate.id} -->\n`));

  it('writes the summary, the outputs and a comment, and exits as the gate does', async () => {
    const { code, summary, outputs, out, err } = await step();
    expect(code).toBe(1);
    expect(ours()).toHaveLength(1);
    expect(ours()[0]!.body).toBe(summary);
    expect(outputs).toEqual({
      result: 'fail',
      difference: expect.stringMatching(/^-[\d.]+$/),
      report: expect.any(String),
    });
    expect(readdirSync(outputs.report!).sort()).toEqual(['gate.json', 'gate.md', 'gate.xml']);
    expect(out + err).not.toContain('ghs_secret');
    expect((out + err).replace(`::add-mask::${system.client.token}\n`, '')).not.toContain(system.client.token);
    expect(summary).not.toContain(system.client.token);
  });

  it('does not run model output in the log as a workflow command', async () => {
    const { out } = await step();
    const [, nonce] = /^::stop-commands::(.+)$/m.exec(out)!;
    const between = out.slice(out.indexOf(nonce!) + nonce!.length, out.lastIndexOf(`::${nonce}::`));
    expect(between).toContain('Gate main | @octocat v1: failed.');
  });

  it.each([
    ['on the first page', 3],
    ['on the second', 130],
  ])('replaces its own comment, %s', async (_where, others) => {
    comments = [...talk(others), { id: 500, body: `<!-- toolmark:${gate.id} -->\r\nold`, user: bot }, ...talk(2)];
    expect((await step({ TOOLMARK_ARGUMENTS: `"--eval" '${runs.equal.id}'` })).code).toBe(0);
    expect(comments).toHaveLength(others + 3);
    expect(comments.find(({ id }) => id === 500)!.body).toContain('passed');
  });

  it('leaves the comments of people and of other gates alone', async () => {
    comments = [
      { id: 1, body: `<!-- toolmark:${gate.id} -->\nforged`, user: person },
      { id: 2, body: '<!-- toolmark:019aa8a2-5c1e-7000-8000-000000000001 -->\nother', user: bot },
      { id: 3, body: `quoted <!-- toolmark:${gate.id} -->`, user: bot },
    ];
    await step();
    expect(comments.map(({ body }) => body.split('\n').at(-1))).toEqual(
      expect.arrayContaining(['forged', 'other', `quoted <!-- toolmark:${gate.id} -->`]),
    );
    expect(comments).toHaveLength(4);
  });

  it('warns when its comment is refused, without changing the result', async () => {
    refuses = true;
    const passed = await step({ TOOLMARK_ARGUMENTS: `--eval ${runs.equal.id}` });
    expect(passed).toMatchObject({ code: 0, outputs: { result: 'pass' }, summary: expect.stringMatching(/passed/) });
    expect(passed.out).toMatch(/^::warning::.*403.*pull-requests: write/m);
    expect((await step()).code).toBe(1);
  });

  it('comments only on pull requests, and only when enabled', async () => {
    for (const [given, event] of [
      [{ TOOLMARK_COMMENT: 'false' }, { pull_request: { number: 7 } }],
      [{}, { ref: 'refs/heads/main' }],
      [{ TOOLMARK_GITHUB_TOKEN: '' }, { pull_request: { number: 7 } }],
    ] as const)
      expect(await step(given, event)).toMatchObject({ code: 1, outputs: { result: 'fail' } });
    expect(requests).toEqual([]);
  });

  it('is not measured on a fork without a token: the summary has the reason, and it is never green', async () => {
    const fork = {
      number: 7,
      head: { repo: { full_name: 'you/project' } },
      base: { repo: { full_name: 'me/project' } },
    };
    const { code, outputs, summary } = await step({ TOOLMARK_TOKEN: '' }, { pull_request: fork });
    expect({ code, result: outputs.result }).toEqual({ code: 4, result: 'not_measured' });
    expect(summary).toMatch(/not measured.*comes from a fork/);
    expect(requests).toEqual([]);
    expect((await step({ TOOLMARK_TOKEN: '' })).summary).toMatch(/There is no Toolmark token/);
  });

  it('explains a missing answer in the summary, and does not comment', async () => {
    const { code, summary, outputs } = await step({ TOOLMARK_GATE: 'nmain' });
    expect({ code, result: outputs.result }).toEqual({ code: 1, result: '' });
    expect(summary).toMatch(/No gate has the name or id "nmain"/);
    expect(requests).toEqual([]);
  });

  it('accepts every input of action.yml, and passes no expression to the shell', () => {
    const action = readFileSync('action.yml', 'utf8');
    const read = [...readFileSync('scripts/ci-action.mjs', 'utf8').matchAll(/TOOLMARK_[A-Z_]+/g)].map(([name]) => name);
    const passed = [...action.matchAll(/^ +(TOOLMARK_[A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}$/gm)];
    expect(new Set([...read, 'TOOLMARK_SERVER'])).toEqual(new Set(passed.map(([, name]) => name)));
    const inputs = action.slice(action.indexOf('inputs:'), action.indexOf('outputs:')).matchAll(/^ {2}([a-z-]+):$/gm);
    expect(passed.map(([, , name]) => name).sort()).toEqual([...inputs].map(([, name]) => name).sort());
    expect(action.match(/^ +run: .*$/gm)).toEqual(['      run: node "$GITHUB_ACTION_PATH/scripts/ci-action.mjs"']);
  });
});
