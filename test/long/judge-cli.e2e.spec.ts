import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCommandLine } from '../command-line.js';
import { joinJudgeSystem, WRONG } from '../judge-system.js';
import { until } from '../until.js';

let system: Awaited<ReturnType<typeof joinJudgeSystem>>;
let suiteId: string;
/** Two of ten results are wrong; the judge finds fault with the expectation of one of them, and accepts it. */
let runId: string;
let betterId: string;
const { folder, start, toolmark, toolmarkJson } = openCommandLine(() => system.client);
const JUDGE = ['--judge', 'sim::judge:right'];
const UNCALIBRATED = /^Uncalibrated: \d+ of 100 labels, usable from 50; people have not confirmed this judge\.$/m;

beforeAll(async () => {
  system = await joinJudgeSystem();
  const rule = { when: '(0)', verdict: 'acceptable', expectation_at_fault: true, expectation_note: 'Rome | is fine.' };
  await system.control('judge/right', { style: 'right', table: [rule] });
  suiteId = await system.aSuite(10);
  runId = await system.aRun(suiteId, 'scripted:a', [WRONG, WRONG]);
  betterId = await system.aRun(suiteId, 'scripted:b', []);
}, 90_000);

/** The command with these answers on its standard input. */
const answering = async (answers: string, ...args: string[]) => {
  const { child, ended } = start('toolmark', args);
  child.stdin.end(answers);
  return ended;
};

describe('a run is judged', () => {
  let out: string;
  let reportId: string;

  it("and the report shows the judge's findings below the share that people confirm", async () => {
    const ran = await toolmark('judge', runId, ...JUDGE, '--which', 'all', '--instructions', 'Cities are enough.');
    out = ran.out;
    expect(ran).toMatchObject({ code: 0 });
    [, reportId = ''] = /^Report (\S+) v1 is completed \(job \S+\)\.\n/.exec(out)!;
    expect(out).toMatch(new RegExp(`^Judges +all of run ${runId}$`, 'm'));
    expect(out).toMatch(/^Instructions Cities are enough\.$/m);
    expect(out).toMatch(UNCALIBRATED);
    expect(out).toMatch(/^sim::scripted:a +10 +0 +8 +1 +1 +0 +90\.0 % \(.*\) +0\.\d\d \(.*\) +1 +0 +1 +0$/m);
    expect(out.search(UNCALIBRATED)).toBeLessThan(out.search(/^sim::scripted:a/m));
    expect(out).toMatch(/^Recommendations\n {2}\S/m);
    expect(out).toContain(`toolmark label ${runId} --judge sim::judge:right`);
  }, 60_000);

  it('and the report is found by its id and its job, listed by run, and shown with its disagreements', async () => {
    const report = await system.report(reportId);
    for (const id of [reportId, report.job_id, reportId.slice(0, 20)])
      expect(await toolmarkJson('judges', 'show', id)).toEqual(report);
    expect((await toolmark('judges', 'show', reportId)).out).toBe(out);
    expect((await toolmark('judges', 'list', runId)).out).toMatch(
      new RegExp(`^${reportId} v1 +completed +${runId} +sim::judge:right +10 of 10 +90\\.0 % .* uncalibrated `, 'm'),
    );
    expect(await toolmarkJson('judges', 'list', betterId)).toEqual({ items: [] });
    const { out: shown } = await toolmark('judges', 'show', reportId, '--disagreements');
    expect(shown).toMatch(/^The judge finds the expectation of the case at fault: 1 \(uncalibrated\)\n {2}case 0\n/m);
    expect(shown).toMatch(/^ {6}Expectation +Rome \| is fine\.$/m);
    const judgements = await toolmark('judges', 'judgements', reportId, '--said', 'wrong');
    expect(judgements.out).toMatch(/^0-1-0 +case 1 +sim::scripted:a +FAIL +wrong +agrees /m);
    expect(judgements.out).toMatch(UNCALIBRATED);
    expect(await toolmark('judges', 'show', 'abc123')).toEqual({
      code: 1,
      out: '',
      err: 'No judge report has the id "abc123". List them with: toolmark judges\n',
    });
  }, 60_000);

  it('and again as the next version; a report is deleted', async () => {
    const again = await toolmarkJson('judges', 'rerun', reportId);
    expect(again).toMatchObject({ root_id: reportId, version: 2, status: 'completed' });
    expect(await toolmark('judges', 'delete', again.id)).toMatchObject({
      code: 0,
      out: `Deleted report ${again.id}\n`,
    });
    expect((await toolmarkJson('judges')).items.map(({ id }: { id: string }) => id)).toEqual([reportId]);
  }, 60_000);

  it('against its baseline, case by case', async () => {
    const ran = await toolmark('judge', betterId, '--against', runId, ...JUDGE);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^sim::scripted:b +sim::scripted:a +\d+ +0 +\d+ +0 +0 +100\.0 % \(/m);
    expect(ran.out).toMatch(UNCALIBRATED);
  }, 60_000);
});

it('the default judge is set field by field, and judges a run on request', async () => {
  expect((await toolmark('judges', 'settings')).out).toMatch(/^Judge +none$/m);
  await toolmarkJson('judges', 'settings', ...JUDGE);
  const set = await toolmarkJson('judges', 'settings', '--instructions', 'Be strict.', '--auto-below', '0');
  expect(set).toEqual({ judge: 'sim::judge:right', instructions: 'Be strict.', auto_below: 0 });
  const args = ['run', suiteId, '--models', 'sim::scripted:a', '--judge-when', 'after', '--watch'];
  const ran = await toolmark(...args);
  const [, id] = /^Judge reports: toolmark judges list (\S+)$/m.exec(ran.out)!;
  await until(async () => (await toolmarkJson('judges', 'list', id!)).items[0]?.status === 'completed');
  expect((await toolmark('judges', 'list', id!)).out).toMatch(/ 2 of 2 .* its run /);
  expect(await toolmarkJson('judges', 'settings', '--no-judge', '--instructions', '')).toMatchObject({ judge: null });
}, 60_000);

describe('results are labelled', () => {
  const labels = async () => (await system.get(`/api/tool-eval/history/${runId}/labels`)).items;

  it('line by line without a terminal, with notes, and withdrawn', async () => {
    const ran = await answering('n\nNot Paris.\nw\nu\nn\nNo.\nw\ns\nc\nq\n', 'label', runId, ...JUDGE);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(
      /^0 of 100 labels\. Keys: c correct, a acceptable, w wrong, n note, s skip, u undo, q quit$/m,
    );
    expect(ran.out).toMatch(
      /^user +What is the weather in Paris\? \(\d\)\nExpected +get_weather\("city":"Paris"\)\nCalled/m,
    );
    expect(ran.out).toMatch(/\n-> undone\n[^]*\n-> wrong, with a note\n[^]*\n-> skipped\n[^]*\n-> correct\n/);
    expect(ran.out).toMatch(/\nYou gave 2 labels\.\nThe judge has 2 of the 100 labels that a calibration needs\.\n/);
    expect(ran.out).toMatch(UNCALIBRATED);
    expect(ran.out).not.toMatch(/acceptable_alternative|at fault|passed|FAIL/);
    const given = await labels();
    expect(given.map((one: any) => [one.label, one.note]).sort()).toEqual([
      ['correct', null],
      ['wrong', 'No.'],
    ]);
  }, 60_000);

  it('key by key on a terminal, until nothing is left', async () => {
    let shown = '';
    const line = `exec toolmark label ${runId} ${JUDGE.join(' ')}`;
    const isLinux = process.platform === 'linux';
    const { child, ended } = start(
      'script',
      isLinux ? ['-qec', line, '/dev/null'] : ['-qe', '/dev/null', 'sh', '-c', line],
    );
    child.stdout.on('data', (text: string) => (shown += text));
    const asked = () => shown.split('Called ').length - 1;
    const press = async (key: string, until_: () => boolean) => {
      child.stdin.write(key);
      await until(until_);
    };
    await until(() => asked() === 1);
    await press('x', () => shown.includes('"x" is not one of'));
    await press('n', () => shown.includes('Note: '));
    await press('Rome.\n', () => shown.includes('Rome.'));
    for (let n = 1; n <= 8; n++) await press('a', () => asked() > n || shown.includes('You gave'));
    const { code } = await ended;
    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining('You gave 8 labels.') });
    expect(shown).toContain('All results of this run that sim::judge:right judged are labelled or skipped.');
    expect(shown).toContain('The judge has 10 of the 100 labels');
    expect((await labels()).filter((one: any) => one.note === 'Rome.')).toHaveLength(1);
  }, 60_000);

  it('from a file of lines; one wrong line is reported, and nothing is stored', async () => {
    const line = (id: string, label: string) => JSON.stringify({ result_id: id, label, note: null });
    writeFileSync(join(folder, 'labels.jsonl'), [line('0-0-0', 'correct'), line('0-1-0', 'wrong')].join('\n'));
    const imported = await toolmark('label', betterId, '--import', 'labels.jsonl');
    expect(imported).toEqual({ code: 0, out: 'Imported 2 labels.\n', err: '' });
    writeFileSync(join(folder, 'wrong.jsonl'), [line('0-2-0', 'correct'), line('9-9-9', 'correct')].join('\n'));
    expect(await toolmark('label', betterId, '--import', 'wrong.jsonl')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Line 2'),
    });
    expect((await system.get(`/api/tool-eval/history/${betterId}/labels`)).items).toHaveLength(2);
  }, 60_000);

  it('but not where there is nobody to ask', async () => {
    const fresh = await system.aRun(suiteId, 'scripted:c', [WRONG]);
    await toolmarkJson('judge', fresh, ...JUDGE);
    const args = ['label', fresh, ...JUDGE];
    expect(await answering('', ...args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^There is nobody to ask/),
    });
    expect(await answering('yes\n', ...args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^"yes" is not one of/),
    });
    expect(await toolmark(...args, '--json')).toMatchObject({ code: 2, err: expect.stringContaining('--import') });
  }, 60_000);
});

it('a calibration shows what people confirm', async () => {
  const calibration = await toolmarkJson('judges', 'calibration', ...JUDGE);
  expect(calibration).toMatchObject({ judge: 'sim::judge:right', status: 'uncalibrated' });
  const { out } = await toolmark('judges', 'calibration', ...JUDGE);
  expect(out.startsWith(`${calibration.text}\nJudge        sim::judge:right\n`)).toBe(true);
});

it("the report of a run includes the judge's findings", async () => {
  const ran = await toolmark('report', runId, '--markdown', 'report.md', '--html', 'report.html');
  expect(ran).toEqual({ code: 0, out: '', err: '' });
  const markdown = readFileSync(join(folder, 'report.md'), 'utf8');
  expect(markdown).toMatch(/^# Weather in Paris v1\n/);
  expect(markdown).toContain('\n## Failures: 2\n');
  expect(markdown).toContain('  - Called: get\\_weather("city":"Rome")\n');
  expect(markdown).toMatch(/\n\*\*Uncalibrated: \d+ of 100 labels, usable from 50;.*\*\*\n/);
  expect(markdown).toContain('  - Expectation: Rome &#124; is fine.\n');
  expect((await toolmark('report', runId)).out).toBe(markdown);
  const html = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(html).toMatch(/<p class="notice">Uncalibrated: /);
  expect(html).not.toMatch(/<(?:script|a|img|link)\b/);
  expect(await toolmarkJson('report', runId)).toMatchObject({
    run: { id: runId },
    judges: [{ disagreements: [{}, {}] }],
  });
  expect(await toolmark('report', runId, '--html', '--markdown')).toMatchObject({ code: 2, out: '' });
});

it('a judge is cancelled by its job, and continues where it was', async () => {
  await system.control('judge/gullible', { style: 'right', latency_ms: 60_000 });
  const slow = ['judge', runId, '--judge', 'sim::judge:gullible', '--which', 'all', '--no-watch'];
  const { job_id: job, report_id: id } = await toolmarkJson(...slow);
  expect(await toolmark('judge', 'nothing', ...JUDGE)).toMatchObject({ code: 1 });
  const watched = toolmark('judges', 'show', id, '--watch');
  await until(async () => (await system.get(`/api/jobs/${job}`)).status === 'running');
  expect(await toolmark('cancel', job)).toMatchObject({ code: 0 });
  expect(await watched).toMatchObject({
    code: 1,
    out: expect.stringContaining('is cancelled'),
    err: expect.stringContaining(`The report is cancelled. Continue with: toolmark resume ${job}\n`),
  });
  await system.control('judge/gullible', { style: 'right' });
  const resumed = await toolmark('resume', job, '--watch');
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining(`Report ${id} v1 is completed`) });
}, 60_000);

it('wrong usage is explained', async () => {
  for (const [args, code, message] of [
    [['judge', runId], 1, 'no default judge'],
    [['judge', betterId, ...JUDGE], 1, 'all passed'],
    [['judge', runId, ...JUDGE, '--which', 'best'], 2, 'Allowed choices are failed, all, sample'],
    [['judge', runId, '--against', betterId, '--which', 'all', ...JUDGE], 2, 'leave out --which and --below'],
    [['judges', 'calibration', ...JUDGE, '--report', 'abcd'], 2, 'Choose one of --judge and --report'],
    [['judges', 'shwo'], 2, 'Did you mean show'],
  ] as const)
    expect(await toolmark(...args)).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
}, 60_000);
