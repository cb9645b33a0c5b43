import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { weatherSuite } from '../client.js';
import { openCommandLine, type CommandResult } from '../command-line.js';
import { joinSystem, type TeamSystem } from '../system.js';
import { until } from '../until.js';

let system: TeamSystem;
let suiteId: string;
const { folder, inShell, toolmark, toolmarkJson } = openCommandLine(() => system.client);
const ROUTE = '/api/tool-eval/param-tune';

beforeAll(async () => {
  system = await joinSystem();
  await system.client.post('/api/providers', {
    key: 'sim',
    base_url: `${system.simulator.url}/v1`,
    limits: { max_concurrency: 20 },
    models: [{ id: 'param-sensitive' }, { id: 'perfect-ish', unsupported_params: ['top_p'] }, { id: 'instant' }],
  });
  suiteId = await system.client.importSuite(weatherSuite(40));
});
const api = async (path: string) => (await system.client.get(path)).body;
const armsOf = async (id: string) => (await api(`${ROUTE}/history/${id}/combos?limit=200`)).items as any[];

const SPACE = ['--space', 'temperature=0..1/0.5', '--space', 'tool_choice=auto,required'];
const BASE = ['--base-temperature', '1', '--base-tool-choice', 'auto', '--base-params', '{"top_k": 1.0}'];
const SENSITIVE = ['tune', 'params', 'Weather', '--models', 'sim::param-sensitive', ...SPACE, ...BASE];

it('an estimate shows what a tune would cost, and runs nothing', async () => {
  const estimate = await toolmarkJson(...SENSITIVE, '--space', 'top_p=0.5,1', '--estimate');
  expect(estimate).toMatchObject({
    combinations: 13,
    distinct: { 'sim::param-sensitive': 13 },
    requests: expect.any(Number),
  });
  const { code, out, err } = await toolmark(...SENSITIVE, '--estimate', '--max-requests', '100');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /^model +distinct +requests +prompt tokens +reply tokens +cost +time\nsim::param-sensitive +6 +\d+ /,
  );
  expect(out).toMatch(/^6 combinations in total\./m);
  expect(out).toMatch(/^Note: .*budget/m);
  expect(await toolmarkJson('tunes')).toEqual({ items: [] });
});

describe('a watched tune', () => {
  let ran: CommandResult;
  let tune: any;
  beforeAll(async () => {
    ran = await toolmark(...SENSITIVE, '--mode', 'grid', '--seed', '0', '--watch', '--markdown', 'report.md');
    [tune] = (await toolmarkJson('tunes', 'list')).items;
    tune = await api(`${ROUTE}/history/${tune.id}`);
  }, 150_000);

  it('shows its decisions, and its findings at the end', async () => {
    expect({ ...ran, err: '', out: '' }).toEqual({ code: 0, err: '', out: '' });
    const [{ target, recommended, text }] = tune.targets;
    expect(recommended.config).toMatchObject({ tool_choice: 'required' });
    expect(ran.err).toMatch(/^recommended: arm \d+ temperature=\S+ tool_choice=required of sim::param-sensitive, /m);
    expect(ran.out).toContain(`Tune ${tune.id} is completed (job ${tune.job_id}).\nSuite        Weather v1\n`);
    expect(ran.out).toContain('\nSearched     temperature=0..1/0.5 tool_choice=auto,required\n');
    expect(ran.out).toMatch(/^How {10}grid, seed 0, by overall/m);
    expect(ran.out).toMatch(new RegExp(`^${target}: .+\nRecommended  arm ${recommended.arm} temperature=`, 'm'));
    expect(ran.out).toContain(`\nHeld out     ${text}\n`);
    for (const { arm, state } of await armsOf(tune.id))
      expect(ran.out).toMatch(
        new RegExp(`^${arm === 0 ? '0 base' : arm} +temperature=\\S+ tool_choice=\\w+ +${state} `, 'm'),
      );
  });

  it('ends with a command that runs the recommended settings', async () => {
    const [, line] = /^Run it {7}(toolmark run .+)$/m.exec(ran.out)!;
    expect(line).toContain(`--params '{"top_k":1.0}'`);
    const run = await inShell(`${line} --watch --json`);
    expect(run).toMatchObject({ code: 0, err: '' });
    const { config } = JSON.parse(run.out);
    const { temperature, tool_choice } = tune.targets[0].recommended.config;
    expect(config).toMatchObject({ temperature, tool_choice, max_tokens: null });
  });

  it('writes a report, the same as the one printed later', async () => {
    const report = readFileSync(join(folder, 'report.md'), 'utf8');
    expect(report).toMatch(/^# Tune \S+ is completed \(job \S+\)\.\n\n- Suite: Weather v1\n/);
    expect(report).toMatch(/\n```sh\ntoolmark run .*\n```\n/);
    expect(await toolmark('tunes', 'show', tune.id, '--markdown')).toEqual({ code: 0, out: report, err: '' });
  });

  it('is found by its id, its job, and a prefix of either', async () => {
    for (const id of [tune.id, tune.job_id, tune.id.slice(0, 20), tune.job_id.slice(0, 20)])
      expect(await toolmarkJson('tunes', 'show', id)).toEqual(tune);
    expect((await toolmark('tunes', 'show', tune.id, '--watch')).out).toBe(ran.out);
    expect((await toolmark('tunes')).out).toMatch(
      new RegExp(`^${tune.id} +- +completed +Weather v1 +sim::param-`, 'm'),
    );
    for (const id of ['019aa8a2-5c1e-7000-8000-000000000011', 'abc123', 'xyz'])
      expect(await toolmark('tunes', 'show', id)).toEqual({
        code: 1,
        out: '',
        err: `No tune has the id "${id}". List them with: toolmark tunes\n`,
      });
  });

  it('lists its arms page by page', async () => {
    const arms = await armsOf(tune.id);
    expect(await toolmarkJson('tunes', 'arms', tune.id)).toEqual({ items: arms });
    const first = await toolmarkJson('tunes', 'arms', tune.id, '--limit', '2', '--model', 'param-sensitive');
    expect(first).toEqual({ items: arms.slice(0, 2), next_cursor: expect.any(String) });
    const rest = await toolmarkJson('tunes', 'arms', tune.id, '--cursor', first.next_cursor);
    expect(rest.items).toEqual(arms.slice(2));
    const { out } = await toolmark('tunes', 'arms', tune.id);
    const columns = [
      'arm',
      'configuration',
      'state',
      'rung',
      'cases',
      'mean \\(95 %\\)',
      'cost',
      'p50',
      'p95',
      'cost/case',
    ];
    expect(out).toMatch(new RegExp(`^${[...columns, 'errored', 'same as', 'adjustments'].join(' +')}\n`));
    expect(out.trim().split('\n')).toHaveLength(arms.length + 1);
    expect(await toolmark('tunes', 'arms', tune.id, '--model', 'other')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The tune has no model "other"\. Its models: sim::param-sensitive\./),
    });
  });

  it('is deleted', async () => {
    expect(await toolmark('tunes', 'delete', tune.id)).toEqual({ code: 0, out: `Deleted tune ${tune.id}\n`, err: '' });
    expect(await toolmark('tunes', 'show', tune.id)).toMatchObject({ code: 1 });
  });
});

it('spaces of single models come from a file; unsupported parameters are reported, and make no arms', async () => {
  writeFileSync(
    join(folder, 'space.json'),
    JSON.stringify({
      search_space: { temperature: [0, 1] },
      per_model_search_spaces: { 'sim::perfect-ish': { top_p: [0.5, 1] } },
    }),
  );
  const models = 'sim::param-sensitive,sim::perfect-ish';
  const args = ['tune', 'params', 'Weather', '-m', models, '--space-file', 'space.json', '--holdout', '0'];
  const { code, out } = await toolmark(...args, '--mode', 'grid', '--watch');
  expect(code).toBe(0);
  expect(out).toContain('\nSearched     temperature=0,1\nSearched     sim::perfect-ish: top_p=0.5,1\n');
  expect(out).toMatch(/^Cases {8}40 for the search, none held out$/m);
  expect(out).toMatch(/^Not accepted .*top_p.* \(2 of 3 arms\)$/m);
  expect(out).toMatch(/^Arms {9}3 with the base, 2 make the same requests as another/m);
});

it('a tune is cancelled by its job, and continues where it was', async () => {
  await system.control('instant', { on: false, status: 'hang' });
  const args = ['tune', 'params', suiteId, '-m', 'sim::instant', '--space', 'temperature=0,1', '--mode', 'grid'];
  const { tune_id: id, job_id: job } = await toolmarkJson(...args, '--holdout', '0', '--cache', 'off');
  const watched = toolmark('tunes', 'show', id, '--watch');
  await until(async () => (await api(`/api/jobs/${job}`)).status === 'running');
  expect(await toolmark('cancel', job)).toMatchObject({ code: 0, out: expect.stringMatching(/^Cancelled\./) });
  expect(await watched).toMatchObject({
    code: 1,
    out: expect.stringMatching(/ is cancelled .*\n[^]*^Recommended {2}nothing yet$/m),
    err: expect.stringContaining(`The tune is cancelled. Continue with: toolmark resume ${job}\n`),
  });
  await system.control('instant', { on: true });
  const resumed = await toolmark('resume', job, '--watch');
  expect(resumed).toMatchObject({ code: 0, out: expect.stringMatching(/^Tune \S+ is completed/) });
  expect(resumed.out).toContain(id);
}, 150_000);

it('presets are saved, listed, searched and deleted', async () => {
  expect((await toolmark('presets')).out).toBe('No presets. Save a search space: toolmark presets save --help\n');
  const preset = await toolmarkJson(
    'presets',
    'save',
    'Sampling',
    '--space',
    'temperature=0..1/0.5',
    '--space',
    'top_k=5.0',
  );
  expect(preset).toMatchObject({ name: 'Sampling', search_space: { temperature: { min: 0, max: 1, step: 0.5 } } });
  expect((await toolmark('presets', 'list')).out).toMatch(
    new RegExp(`^preset +name +created +space\n${preset.id} +Sampling +\\S+ +temperature=0\\.\\.1/0\\.5 top_k=5`),
  );
  const args = ['tune', 'params', 'Weather', '-m', 'sim::param-sensitive', '--estimate'];
  expect(await toolmarkJson(...args, '--preset', 'sampling')).toMatchObject({ combinations: 4 });
  const own = ['--preset', preset.id, '--space', 'temperature=0'];
  expect(await toolmarkJson(...args, ...own)).toMatchObject({ combinations: 2 });
  expect(await toolmark(...args, '--preset', 'Samplign')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^No preset has the name or id "Samplign"\. The presets: Sampling\./),
  });
  expect((await toolmark('presets', 'delete', 'Sampling')).out).toBe(`Deleted preset ${preset.id}\n`);
  expect(await toolmarkJson('presets')).toEqual({ items: [] });
});

it('prompt versions are run, listed, shown, compared, and applied to the suite on request', async () => {
  expect((await toolmark('prompts')).out).toBe('No prompt versions yet.\n');
  const file = { ...weatherSuite(2), name: 'Described' };
  const described = await system.client.importSuite(file);
  const keep = async (more: object) =>
    (await system.client.post('/api/prompt-versions', { suite_id: described, ...more })).body;
  const TOOL = 'tools/get_weather/description';
  const first = await keep({ components: { [TOOL]: 'Get the weather of a city' }, tags: ['production'] });
  const components = { [TOOL]: 'Get the weather of a city now', system_prompt: 'Be brief.\nBe kind.' };
  const version = await keep({ components, label: 'Kind', tags: ['candidate'], parent_id: first.id });

  const run = await toolmarkJson('run', 'Described', '-m', 'sim::instant', '--prompt-version', 'candidate', '--watch');
  expect(run.config).toMatchObject({ prompt_version_id: version.id, base_prompt: 'Be brief.\nBe kind.' });
  expect(await toolmark('run', 'Described', '-m', 'sim::instant', '--prompt-version', 'nothing')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/has the tag "nothing"/),
  });

  expect((await toolmark('prompts', 'list', '--suite', 'Described')).out).toMatch(
    new RegExp(
      `^version +label +tags .*\n${version.id} +Kind +candidate +60.0 % +1 +2 +manual .*\n` +
        `${first.id} +- +production +- +0 +1 `,
    ),
  );
  expect((await toolmark('prompts', 'show', 'kind')).out).toMatch(
    /^Prompt version .*\nLabel +Kind\n[^]*\nsystem_prompt\n {2}Be brief\.\n {2}Be kind\.\n$/,
  );
  expect((await toolmark('prompts', 'diff', 'candidate')).out).toBe(
    `From version ${first.id} to version ${version.id}:\n\n${TOOL}\n  Get the weather of a city{+ now+}\n\n` +
      'system_prompt\n  {+Be brief.+}\n  {+Be kind.+}\n',
  );
  expect((await toolmark('prompts', 'diff', 'production', '--to', 'suite')).out).toContain(
    'Get [-the-]{+current+} weather [-of-]{+for+} a city',
  );
  expect(await toolmarkJson('prompts', 'diff', 'candidate')).toMatchObject({ from: version.id, to: first.id });
  expect(await toolmark('prompts', 'show', 'nothing')).toMatchObject({ code: 1 });

  const now = () => api(`/api/tool-suites/${described}?cases=false`);
  const asked = await toolmark('prompts', 'use', 'candidate');
  expect(asked).toMatchObject({ code: 2, err: expect.stringMatching(/^Nothing was changed: .*--yes/) });
  expect(asked.out).toContain('{+Be brief.+}');
  expect(await now()).toMatchObject({ version: 1, system_prompt: null });
  const used = await toolmark('prompts', 'use', 'candidate', '--yes');
  expect({ code: used.code, err: used.err }).toEqual({ code: 0, err: '' });
  expect(used.out).toMatch(/The suite "Described" is now v2, with the texts of prompt version \S+\.\n$/);
  expect(await now()).toMatchObject({
    version: 2,
    system_prompt: 'Be brief.\nBe kind.',
    tools: [{ function: { ...file.tools[0]!.function, description: components[TOOL] } }],
  });
  expect((await toolmark('prompts', 'use', 'candidate')).out).toMatch(/v2 already has the texts .*\.\n$/);
  expect(await toolmarkJson('prompts', 'use', 'candidate')).toEqual({
    suite_id: described,
    version: 2,
    changed: false,
  });
}, 60_000);

it('wrong usage is explained', async () => {
  const args = ['tune', 'params', 'Weather', '-m', 'sim::param-sensitive'];
  for (const [more, code, message] of [
    [[], 2, 'Give a search space with --space temperature=0..1/0.25'],
    [['--space', 'temperature'], 2, "argument 'temperature' is invalid. Write PARAMETER=VALUES"],
    [['--space', 'temperature=0..1'], 2, 'A range needs a step or a number of values'],
    [['--space', 'temperature=0,3'], 1, '/search_space/temperature'],
    [['--space', 'temperature=0', '--estimate', '--watch'], 2, '--estimate starts no tune'],
    [['--space', 'temperature=0,1', '--holdout', '0.1'], 1, 'held out'],
    [['--space', 'temperature=0', '--experiment', 'none'], 1, 'No experiment has the name or id "none"'],
    [['--space', 'temperature=0', '--mode', 'best'], 2, 'Allowed choices are adaptive, grid, random'],
  ] as const)
    expect(await toolmark(...args, ...more)).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
});
