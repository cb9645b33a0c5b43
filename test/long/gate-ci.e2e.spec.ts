import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCommandLine } from '../command-line.js';
import { joinSystem, type TeamSystem } from '../system.js';

let system: TeamSystem;
const { folder, toServer, toolmark, toolmarkWith, toolmarkJson: json } = openCommandLine(() => system.client);
/** Runs a gate, and reads the decision that it prints. */
async function ask(...args: string[]) {
  const { code, out, err } = await toolmark('gate', ...args, '--json');
  if (out === '') throw new Error(`no answer (exit ${code}): ${err}`);
  return { code, answer: JSON.parse(out) };
}

const tools = ['track_order', 'cancel_order'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `To ${name.replace('_', ' ')}.`,
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  },
}));
const casesOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({
    prompt: `Please track order ${prefix}-${n}.`,
    expected_tool: 'track_order',
    expected_params: { number: `${prefix}-${n}` },
  }));

/**
 * Systems with independent results, with these shares of correct prompts: two looks suffice to find the first two
 * equal.
 */
const MODELS = { base: 0.95, equal: 0.95, worse: 0.85 };
const model = (name: string) => `simulator::prompt-sensitive:${name}`;

async function importSuite(name: string, count: number): Promise<void> {
  writeFileSync(join(folder, 'suite.json'), JSON.stringify({ name, tools, test_cases: casesOf(count, 'A') }));
  await json('suites', 'import', 'suite.json');
}
const report = (name: string): string => readFileSync(join(folder, name), 'utf8');
async function emptySuite(id: string): Promise<void> {
  const { items } = (await system.client.get(`/api/tool-suites/${id}/cases`)).body;
  for (const one of items) await system.client.delete(`/api/tool-suites/${id}/cases/${one.id}`);
}
/** A suite, a baseline run, and a gate, all with the same name. */
async function makeGate(name: string, count: number, ...rules: string[]): Promise<any> {
  await importSuite(name, count);
  const baseline = await json('run', name, '--models', model('base'), '--cache', 'off', '--watch');
  return json('gates', 'create', name, '--suite', name, '--baseline', baseline.id, ...rules);
}

beforeAll(async () => {
  system = await joinSystem();
  const models = [...Object.keys(MODELS).map((name) => `prompt-sensitive:${name}`), 'instant'];
  await system.client.post('/api/providers', { key: 'simulator', base_url: `${system.simulator.url}/v1`, models });
  await Promise.all(
    Object.entries(MODELS).map(([name, base], seed) =>
      fetch(`${system.simulator.url}/control/prompt-sensitive/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ base, seed, rules: [] }),
      }),
    ),
  );
}, 150_000);

describe('a gate over 300 cases with a margin of five points', () => {
  beforeAll(() => makeGate('main', 300, '--margin', '0.05', '--measure', 'passed'), 150_000);

  it('passes an equal model, after as many looks as needed', async () => {
    const { code, answer } = await ask('main', '--models', model('equal'));
    expect({ code, text: answer.text, result: answer.result }).toMatchObject({ code: 0, result: 'pass' });
    expect(answer.look.number).toBeGreaterThan(0);
    const again = await ask('main', '--eval', answer.eval_id);
    expect(again).toMatchObject({ code: 0, answer: { result: 'pass', look: answer.look, text: answer.text } });
    const { items } = await json('gates', 'runs', 'main');
    expect(items[0]).toMatchObject({ id: answer.gate_run_id, status: 'completed', eval_id: answer.eval_id });
    expect((await json('history')).items.map(({ id }: any) => id)).not.toContain(answer.eval_id);
    expect((await json('history', '--orchestrated')).items.map(({ id }: any) => id)).toContain(answer.eval_id);
  }, 300_000);

  it('fails a model that lost ten points, and says where', async () => {
    const reports = ['--junit', 'gate.xml', '--markdown', 'gate.md', '--json', 'gate.json', '--watch'];
    const { code, out, err } = await toolmark('gate', 'main', '--models', model('worse'), ...reports);
    expect(code).toBe(1);
    expect(out).toMatch(/^Gate main v1: failed\.\n/);
    expect(err).toMatch(/^Look 1: /m);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const answer = JSON.parse(read('gate.json'));
    expect(answer).toMatchObject({ result: 'fail', targets: [{ reason: 'regressed' }] });
    expect(answer.targets[0].difference).toBeLessThan(-0.05);
    expect(read('gate.md')).toContain(answer.text.slice(0, 20));
    expect(read('gate.xml')).toMatch(/<testsuite name="gate" tests="1" failures="1" /);
    expect(read('gate.xml').match(/<testcase classname="simulator::/g)).toHaveLength(300);
  }, 300_000);

  it('decides about an existing run, without another request', async () => {
    const run = await toolmark('run', 'main', '--models', model('worse'), '--cache', 'off', '--gate', 'main', '--json');
    const { id, gate } = JSON.parse(run.out);
    expect(gate).toMatchObject({ eval_id: id, result: 'fail' });
    expect(run.code).toBe(1);
    const before = await system.requests();
    expect((await ask('main', '--eval', id)).answer.text).toBe(gate.text);
    expect(await system.requests()).toBe(before);
  }, 150_000);
});

it('a gate does not measure a dead provider, and is never green', async () => {
  await makeGate('Dead', 10);
  await system.control('instant', { on: false, status: 401 });
  for (const [extra, code] of [
    [[], 4],
    [['--inconclusive', 'pass'], 4],
    [['--not-measured', 'fail'], 1],
  ] as const)
    expect(await ask('Dead', '--models', 'simulator::instant', ...extra)).toMatchObject({
      code,
      answer: { result: 'not_measured' },
    });
  expect(await ask('Dead', '--models', 'simulator::instant', '--junit', 'dead.xml')).toMatchObject({ code: 4 });
  expect(report('dead.xml')).toMatch(/<testsuite name="gate" tests="2" failures="0" errors="1"/);
  const run = await toolmark('run', 'Dead', '--models', 'simulator::instant', '--cache', 'off', '--gate', 'Dead');
  expect(run).toMatchObject({ code: 4, out: expect.stringMatching(/Gate Dead v1: not measured\./) });
}, 150_000);

it('runs are compared with their added samples', async () => {
  const gate = await makeGate('Samples', 10);
  const run = await json('run', 'Samples', '--models', model('equal'), '--cache', 'off', '--watch');
  const samples = await json('samples', run.id, '1', '--watch');
  expect(samples).toMatchObject({ status: 'completed', extends_run_id: run.id, first_sample: 1 });
  const samplesOf = async (...args: string[]) =>
    (await json('compare', gate.baseline_eval_id, run.id, ...args)).all.samples[1];
  expect([await samplesOf(), await samplesOf('--extended')]).toEqual([1, 2]);
}, 150_000);

describe('a gate is never green when there is nothing to compare:', () => {
  it('without a baseline', async () => {
    await importSuite('No baseline', 10);
    await json('experiments', 'create', 'Empty', '--suite', 'No baseline');
    await json('gates', 'create', 'No baseline', '--suite', 'No baseline', '--baseline-of', 'Empty');
    const before = await system.requests();
    const { code, answer } = await ask('No baseline');
    expect({ code, result: answer.result }).toEqual({ code: 4, result: 'not_measured' });
    expect(await system.requests()).toBe(before);
  }, 150_000);

  it('when all cases changed since the baseline', async () => {
    const { suite_id } = await makeGate('Changed', 10);
    await emptySuite(suite_id);
    for (const one of casesOf(10, 'B'))
      expect((await system.client.post(`/api/tool-suites/${suite_id}/cases`, one)).status).toBe(201);
    const { code, answer } = await ask('Changed');
    expect({ code, result: answer.result }).toEqual({ code: 4, result: 'not_measured' });
    expect(answer.text).not.toBe('');
  }, 150_000);

  it('when its filter leaves no cases, and when the server does not know its token', async () => {
    await makeGate('Filtered', 6);
    expect(await toolmark('gate', 'Filtered', '--tag', 'smoke', '--junit', 'none.xml')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/No case of the suite has the tag "smoke"/),
    });
    expect(report('none.xml')).toMatch(/tests="1" failures="0" errors="1".*<error .*the tag &#34;smoke&#34;/s);
    const stranger = { ...toServer(), TOOLMARK_TOKEN: 'nobody' };
    expect(await toolmarkWith(stranger, 'gate', 'Filtered', '--junit', 'none.xml')).toMatchObject({ code: 2 });
    expect(report('none.xml')).toMatch(/<error .*token/);
  }, 150_000);

  it('when the suite has lost all its cases', async () => {
    const { suite_id } = await makeGate('Emptied', 6);
    await emptySuite(suite_id);
    const { code, out, err } = await toolmark('gate', 'Emptied', '--junit', 'emptied.xml');
    expect([1, 4]).toContain(code);
    expect(out + err).toMatch(/cases/);
    expect(report('emptied.xml')).toMatch(/<error .*cases/);
  }, 150_000);
});

it('a budget that runs out between two looks keeps the answer of the previous look', async () => {
  await makeGate('Budget', 40, '--margin', '0.01', '--measure', 'passed', '--max-requests', '100');
  const { code, answer } = await ask('Budget', '--models', model('equal'));
  expect({ code, result: answer.result }).toEqual({ code: 3, result: 'inconclusive' });
  expect(answer.look.number).toBe(1);
  const { items } = await json('gates', 'runs', 'Budget');
  expect(items[0].looks).toHaveLength(1);
  expect((await ask('Budget', '--eval', answer.eval_id, '--inconclusive', 'pass')).code).toBe(0);
  expect((await ask('Budget', '--eval', answer.eval_id, '--inconclusive', 'fail')).code).toBe(1);
  expect(await toolmark('resume', items[0].job_id)).toMatchObject({ code: 1, err: expect.stringMatching(/answer/) });
}, 300_000);
