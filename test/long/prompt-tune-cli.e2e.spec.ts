import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { weatherSuite } from '../client.js';
import { openCommandLine, type CommandResult } from '../command-line.js';
import { PHRASES, ROUTE, joinPromptTuneSystem } from '../prompt-tune-system.js';
import { until } from '../until.js';

let system: Awaited<ReturnType<typeof joinPromptTuneSystem>>;
const { folder, start, inShell, toolmark, toolmarkJson, onTerminal } = openCommandLine(() => system.client);
beforeAll(async () => {
  system = await joinPromptTuneSystem(['learns', 'copies']);
  const slow = { key: 'slow', base_url: `${system.simulator.url}/v1`, models: [{ id: 'instant' }] };
  await system.client.post('/api/providers', slow);
  await system.client.post('/api/tool-eval/import', weatherSuite(10));
});

const SUITE = 'Weather, alarms, songs';
const tuneOf = (name: string): string[] => [
  ...['tune', 'prompt', SUITE, '--models', `sim::prompt-sensitive:${name}`, '--meta-model', `sim::meta:${name}`],
];

it('an estimate shows what a tune would cost and which texts it writes, and runs nothing', async () => {
  const estimate = await toolmarkJson(...tuneOf('learns'), '--estimate');
  expect(estimate).toMatchObject({ requests: expect.any(Number), meta: { requests: expect.any(Number) } });
  const { code, out, err } = await toolmark(...tuneOf('learns'), '--estimate', '--max-requests', '100');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^model +requests +prompt tokens +reply tokens +cost +time\nsim::prompt-sensitive:learns +\d+ /);
  expect(out).toMatch(new RegExp(`^sim::meta:learns \\(writes\\) +${estimate.meta.requests} .* - +-$`, 'm'));
  expect(out).toContain(
    '\nTexts to write: 4. system_prompt; tools/get_weather/description; tools/set_alarm/description; ' +
      'tools/play_song/description\n',
  );
  expect(out).toMatch(/^Note: .*budget/m);
  expect(await toolmarkJson('tunes')).toEqual({ items: [] });
});

describe('a tune watched on a terminal', () => {
  let ran: CommandResult;
  let tune: any;
  let frames: string[];
  const COLUMNS = 90;
  const ROWS = 20;
  beforeAll(async () => {
    const more = ['--max-evals', '300', '--watch', '--report', 'report.md'];
    ran = await onTerminal(COLUMNS, ROWS, ...tuneOf('learns'), ...more);
    frames = ran.out.replaceAll('\r', '').split(/\u001b\[\d+A\u001b\[J/);
    const [listed] = (await toolmarkJson('tunes', 'list')).items;
    expect(listed.type).toBe('prompt_tune');
    tune = await system.tune(listed.id);
  }, 150_000);

  it('fits its progress, its best texts, and the changes of its newest candidates into the terminal', () => {
    expect(ran).toMatchObject({ code: 0, err: '' });
    const drawn = frames.slice(0, -1);
    expect(drawn.length).toBeGreaterThan(1);
    for (const lines of drawn.map((frame) => frame.trimEnd().split('\n'))) {
      expect(lines.length).toBeLessThan(ROWS);
      for (const line of lines) expect([...line].length).toBeLessThan(COLUMNS);
    }
    const shown = drawn.join('\n');
    expect(shown).toMatch(/^Searching +[█░]+ +\d+\/\d+/m);
    expect(shown).toMatch(/^\d+ with the base: .*; \d+ items measured$/m);
    expect(shown).toMatch(/^Best so far: (?:the base|candidate \d+), [\d.]+ %/m);
    expect(shown).toMatch(/^ {2}why: Adds: /m);
  });

  it('ends with the outcome, the lineage of the best texts, and their changes, in colour', () => {
    const end = frames.at(-1)!;
    expect(end).toContain(`Tune ${tune.id} is completed (job ${tune.job_id}).\nSuite        ${SUITE} v1\n`);
    expect(end).toContain(`\nOutcome      ${tune.text}\nHeld out     candidate ${tune.best} `);
    expect(end).toMatch(/^How {10}reflective, 4 cases per step, seed 1, by overall, margin 2 points/m);
    expect(end).toContain(`\nSteps to candidate ${tune.best}\n`);
    for (const { component, phrase } of PHRASES) {
      expect(end).toMatch(new RegExp(`^\\d+ +reflection of \\d+ .* ${component} +Adds: ${phrase}$`, 'm'));
      expect(end).toContain(`\u001b[32m${phrase}\u001b[0m`);
    }
    expect(end).toMatch(/^Rejected candidates: \d+\n {2}\d/m);
  });

  it('prints commands to paste: run the best texts, show their changes, and apply them to the suite', async () => {
    const { out } = await toolmark('tunes', 'show', tune.id);
    const pasted = ['Run it', 'Compare it', 'Take it'].map((name) => new RegExp(`^${name} +(toolmark .+)$`, 'm'));
    const [run, diff, use] = pasted.map((line) => line.exec(out)![1]!);
    const made = await inShell(`${run} --watch --json`);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({
      score: expect.any(Number),
      config: { prompt_version_id: tune.prompt_version_id, temperature: 0, tool_choice: 'required' },
    });
    expect(JSON.parse(made.out).score).toBeGreaterThan(0.7);
    const phrase = PHRASES[1].phrase;
    expect(await inShell(diff!)).toMatchObject({ code: 0, out: expect.stringContaining(phrase) });
    expect(await inShell(use!)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(await system.get(`/api/tool-suites/${system.suiteId}?cases=false`)).toMatchObject({ version: 1 });
  });

  it('writes a report, the same as the one printed later', async () => {
    const report = readFileSync(join(folder, 'report.md'), 'utf8');
    expect(report).toMatch(/^# Tune \S+ is completed \(job \S+\)\.\n\n- Suite: Weather, alarms, songs v1\n/);
    expect(report).toContain(
      '\n- **system\\_prompt**\n  - You help with small things.\n  - <ins>Call one tool at once.',
    );
    expect(report).toMatch(/\n```sh\ntoolmark run .*\ntoolmark prompts diff .*\ntoolmark prompts use .*\n```\n/);
    expect(await toolmark('tunes', 'show', tune.id, '--markdown')).toEqual({ code: 0, out: report, err: '' });
  });

  it('is found by its id, its job, and a prefix of either', async () => {
    for (const id of [tune.id, tune.job_id, tune.id.slice(0, 20), tune.job_id.slice(0, 20)])
      expect(await toolmarkJson('tunes', 'show', id)).toEqual(tune);
  });

  it('lists its candidates page by page, by state, and one by one', async () => {
    const all = await system.candidates(tune.id);
    expect(await toolmarkJson('tunes', 'candidates', tune.id)).toEqual({ items: all });
    const first = await toolmarkJson('tunes', 'candidates', tune.id, '--limit', '2');
    expect(first).toEqual({ items: all.slice(0, 2), next_cursor: expect.any(String) });
    const rest = await toolmarkJson('tunes', 'candidates', tune.id, '--cursor', first.next_cursor);
    expect(rest.items).toEqual(all.slice(2));
    const { out } = await toolmark('tunes', 'candidates', tune.id, '--state', 'best');
    expect(out).toMatch(new RegExp(`^candidate +step +made .*\n${tune.best} +\\d+ +reflection of \\d+ +best .*\n$`));
    const one = await toolmark('tunes', 'candidates', tune.id, String(tune.best));
    expect(one.out).toMatch(
      new RegExp(`^Candidate ${tune.best} is best \\(reflection of .*\n[^]*\n {2}\\{\\+.*\\+\\}\n`),
    );
    expect((await toolmark('tunes', 'candidates', tune.id, '0')).out).toMatch(
      /^Candidate 0 is finalist \(base\)\.\n[^]*\n\nsystem_prompt\n {2}You help with small things\.\n/,
    );
    expect(await toolmarkJson('tunes', 'candidates', tune.id, '0')).toMatchObject({ candidate: 0, texts: tune.base });
    expect(await toolmark('tunes', 'candidates', tune.id, '999')).toMatchObject({ code: 1 });
    expect(await toolmark('tunes', 'candidates', tune.id, 'x')).toMatchObject({ code: 2 });
    expect(await toolmark('tunes', 'arms', tune.id)).toMatchObject({
      code: 1,
      err: `Tune ${tune.id} is a prompt tune and has no arms. See: toolmark tunes candidates ${tune.id}\n`,
    });
  });
});

it('without a terminal each step is a line, and a meta model that copies is caught', async () => {
  await system.control('meta/copies', { rules: [], copy_examples: true });
  const { code, out, err } = await toolmark(...tuneOf('copies'), '--max-evals', '300', '--watch');
  expect(code).toBe(0);
  expect(err.trimEnd().split('\n')).toHaveLength(10);
  expect(err).toMatch(/^step 1: candidate 1 \(reflection of 0: \S+\) rejected\. Best so far: the base, [\d.]+ %\.$/m);
  expect(out).toContain('\nOutcome      Keep the base: no text did better');
  expect(out).toMatch(/^Rejected candidates: 10\n {2}\d+, such as: It repeats words of a case: "/m);
  expect(out).not.toMatch(/^(?:Run it|From the base)/m);
}, 150_000);

it('both kinds of tunes are in one list, newest first, read page by page', async () => {
  const params = ['tune', 'params', SUITE, '-m', 'sim::prompt-sensitive:learns', '--space', 'temperature=0'];
  const { tune_id: ofParams } = await toolmarkJson(...params, '--holdout', '0', '--mode', 'grid');
  const { tune_id: ofPrompts } = await toolmarkJson(...tuneOf('learns'), '--mode', 'quick', '--variants', '1');
  const all = (await toolmarkJson('tunes')).items as { id: string; type: string }[];
  expect(all.slice(0, 2).map(({ id, type }) => [id, type])).toEqual([
    [ofPrompts, 'prompt_tune'],
    [ofParams, 'param_tune'],
  ]);
  const paged: unknown[] = [];
  for (let cursor: string[] = []; cursor.length !== 1;) {
    const page = await toolmarkJson('tunes', 'list', '--limit', '1', ...cursor);
    paged.push(...page.items.map(({ id }: any) => id));
    cursor = page.next_cursor === undefined ? ['end'] : ['--cursor', page.next_cursor];
  }
  expect(paged).toEqual(all.map(({ id }) => id));
  expect((await toolmark('tunes')).out).toMatch(new RegExp(`^${ofParams} .* parameters +grid `, 'm'));
  expect((await toolmark('tunes')).out).toMatch(new RegExp(`^${ofPrompts} .* prompts +quick `, 'm'));
  expect(await toolmark('tunes', 'candidates', ofParams)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`See: toolmark tunes arms ${ofParams}`),
  });
  for (const id of [ofParams, ofPrompts]) {
    expect((await toolmark('tunes', 'show', id, '--watch')).code).toBe(0);
    expect(await toolmark('tunes', 'delete', id)).toEqual({ code: 0, out: `Deleted tune ${id}\n`, err: '' });
    expect(await toolmark('tunes', 'show', id)).toMatchObject({ code: 1 });
  }
}, 150_000);

it('leaving a watch does not end a tune; cancelling it does, and a resume continues where it was', async () => {
  await system.control('models/instant', { on: false, status: 'hang' });
  const args = ['tune', 'prompt', SUITE, '-m', 'slow::instant', '--meta-model', 'sim::meta:learns'];
  const { tune_id: id, job_id: job } = await toolmarkJson(...args, '--cache', 'off', '--mode', 'quick');
  const status = async () => (await system.get(`/api/jobs/${job}`)).status;
  await until(async () => (await status()) === 'running');
  expect(await toolmark('tunes', 'delete', id)).toMatchObject({ code: 1, err: expect.stringContaining('Cancel it') });
  const left = start('toolmark', ['tunes', 'show', id, '--watch']);
  left.child.kill('SIGINT');
  expect((await left.ended).code).not.toBe(0);
  expect(await status()).toBe('running');
  const watched = toolmark('tunes', 'show', id, '--watch', '--markdown');
  expect(await toolmark('cancel', job)).toMatchObject({ code: 0, out: expect.stringMatching(/^Cancelled\./) });
  expect(await watched).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^# Tune .* is cancelled.*\n[^]*\n- Outcome: /),
    err: expect.stringContaining(`The tune is cancelled. Continue with: toolmark resume ${job}\n`),
  });
  await system.control('models/instant', { on: true });
  const resumed = await toolmark('resume', job, '--watch');
  expect(resumed).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^Tune ${id} is completed`)) });
}, 150_000);

it('wrong usage is explained', async () => {
  for (const [more, code, message] of [
    [['--components', 'tools/none/description'], 1, '"tools/none/description" matches no text of the suite'],
    [['--meta-model', 'sim::nobody'], 1, 'nobody'],
    [['--holdout', '0.05'], 1, 'would be held out'],
    [['--max-evals', '1'], 1, 'Raise it to'],
    [['--tool-override', 'get_weather=x'], 1, 'base.tools'],
    [['--base-prompt', '@none.txt'], 2, 'none.txt'],
    [['--experiment', 'none'], 1, 'No experiment has the name or id "none"'],
    [['--mode', 'best'], 2, 'Allowed choices are quick, evolutionary, reflective'],
    [['--variants', 'x'], 2, 'Expected a number'],
    [['--estimate', '--report', 'x.md'], 2, '--estimate starts no tune'],
  ] as const)
    expect(await toolmark(...tuneOf('learns'), ...more)).toMatchObject({
      code,
      out: '',
      err: expect.stringContaining(message),
    });
  const models = ['--models', 'sim::prompt-sensitive:learns', '--meta-model', 'sim::meta:learns'];
  expect(await toolmark('tune', 'prompt', 'Weather', ...models)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/The suite has 10 cases, .* A tune needs 20/),
  });
  expect(await toolmark('tune', 'prompt', SUITE, ...models.slice(0, 2))).toMatchObject({
    code: 2,
    err: expect.stringContaining("required option '--meta-model <model>' not specified"),
  });
  expect((await system.get(`${ROUTE}/history?limit=1`)).items[0].status).toBe('completed');
});
