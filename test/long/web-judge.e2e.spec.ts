import type { Locator, Page } from 'playwright-core';
import { promptOf, reply, RIGHT, WRONG } from '../judge-system.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { act, choose, joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let suiteId: string;
let runId: string;

const MODEL = 'sim::scripted:a';
const JUDGE = 'sim::judge:right';
const CASES = 10;
const ALARM = reply('set_alarm', { time: '7' });

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const get = async (path: string) => (await web.client.get(path)).body;

const tool = (name: string, parameter: string) => ({
  type: 'function',
  function: {
    name,
    description: name,
    parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
  },
});

/** A run that answers case `n` with `replies[n]`, and later cases correctly. */
async function aRun(replies: object[]): Promise<string> {
  const by_prompt = Object.fromEntries(replies.map((message, n) => [promptOf(n), message]));
  await web.script('a', { replies: [RIGHT], by_prompt });
  const { body } = await web.client.post('/api/tool-eval', { suite_id: suiteId, models: [MODEL], cache: 'off' });
  await untilRunCompleted(web.client, body.eval_id);
  return body.eval_id;
}

async function untilReported(reportId: string): Promise<void> {
  await until(async () => (await get(`/api/judge/reports/${reportId}`)).status === 'completed', {
    what: `report ${reportId} to end`,
    timeoutMs: 60_000,
  });
}

journeys('judges, labels and calibration', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const models = ['scripted:a', 'judge:right'].map((id) => ({ id }));
    await web.client.post('/api/providers', { key: 'sim', base_url: `${web.simulator.url}/v1`, models });
    const { body } = await web.client.post('/api/tool-eval/import', {
      name: 'Weather in Paris',
      tools: [tool('get_weather', 'city'), tool('set_alarm', 'time')],
      test_cases: Array.from({ length: CASES }, (_, n) => ({
        name: `case ${n}`,
        prompt: promptOf(n),
        expected_tool: 'get_weather',
        expected_params: { city: 'Paris' },
      })),
    });
    suiteId = body.suite_id;
    // The judge accepts the reply of case 1, and finds fault with its expectation.
    await fetch(`${web.simulator.url}/control/judge/right`, {
      method: 'POST',
      body: JSON.stringify({
        style: 'right',
        table: [
          {
            when: '(1)',
            verdict: 'acceptable',
            expectation_at_fault: true,
            expectation_note: '<b>Rome</b> is as good.',
          },
        ],
      }),
    });
    runId = await aRun([RIGHT, WRONG, ALARM, ALARM]);
  });

  it('a run is judged from its page, and the page says once that the judge is not calibrated', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}` });
    await act(page, 'Judge');
    await page.getByRole('heading', { level: 1, name: 'New judge report' }).waitFor();
    await page.getByText('Choose the judge.').waitFor();
    await choose(page.getByLabel('Judge', { exact: true }), 'judge:right');
    await page.getByLabel('Results', { exact: true }).selectOption('all');
    await page.getByText('10 results, 11 requests').waitFor();
    // A fault is shown at its field, and expands the section around it.
    await page.getByText('Requests and limits').click();
    await page.getByLabel('Samples').fill('50');
    await button(page, 'Judge').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Samples').getAttribute('aria-invalid')).toBe('true');
    expect(await axe()).toEqual([]);
    await page.getByLabel('Samples').fill('1');
    await button(page, 'Judge').click();

    await page.getByRole('heading', { level: 1, name: 'Judgements of a run' }).waitFor();
    const reportId = page.url().split('/').at(-1)!;
    await page.getByText('completed').waitFor({ timeout: 30_000 });
    await page.getByText(/^Uncalibrated: 0 of 100 labels/).waitFor();
    const figure = page.getByRole('figure', { name: /correct or acceptable/ });
    await figure.getByText(/^80\.0 % \(\d+\.\d-\d+\.\d, n 10\)$/).waitFor();
    expect((await page.getByRole('main').innerText()).match(/uncalibrated/gi)).toHaveLength(1);
    await page.getByRole('heading', { name: 'Strengths' }).waitFor();

    const agreement = page.getByRole('figure', { name: 'The judge against pass and fail' });
    await agreement.getByText(/ agree: \d+ of 10$/).waitFor();
    await page.getByText('The numbers').click();
    await page.getByRole('link', { name: `1 more lenient than the verdict of ${MODEL}` }).click();
    await page.waitForURL(/agreement=kinder/);
    const list = page.getByRole('list', { name: 'Judgements' });
    await list.getByText('more lenient than the verdict').waitFor();
    await until(async () => (await list.getByRole('listitem').count()) === 1, { what: 'the other judgements to go' });
    // A judge's output is shown as text.
    await list.getByText('<b>Rome</b> is as good.').waitFor();
    await page.getByLabel('Agreement').selectOption('');
    await page.getByRole('checkbox', { name: 'Expectation at fault' }).check();
    await page.waitForURL(/expectation_at_fault=true/);
    await page.reload();
    await list.getByText('<b>Rome</b> is as good.').waitFor();
    expect(await axe()).toEqual([]);

    // A label is given before a judgement is shown.
    await list.getByRole('link', { name: 'case 1' }).click();
    const own = page.getByRole('group', { name: 'Your label' });
    await own.getByRole('button', { name: /^wrong/, disabled: false }).waitFor();
    expect(await page.getByText('is as good').count()).toBe(0);
    await page.keyboard.press('w');
    await own.getByRole('button', { name: /^wrong/, pressed: true }).waitFor();
    await page.getByText('Reason of your label').click();
    await page.getByLabel('Reason of your label').fill('Rome is not Paris.');
    await button(page, 'Save the reason').click();
    await page.getByText('Reason of your label: given').waitFor();
    await page.getByText('Judge verdicts').click();
    await page.getByText('<b>Rome</b> is as good.').waitFor();
    await page.getByText(/^Uncalibrated: /).waitFor();
    expect(await axe()).toEqual([]);
    // The same label again withdraws it.
    await own.getByRole('button', { name: /^wrong/, disabled: false }).click();
    await own.getByRole('button', { name: /^wrong/, pressed: false }).waitFor();
    await page.getByText('Label removed.').waitFor();

    await page.goto(`${web.url}/runs/${runId}`);
    const reports = page.getByRole('region', { name: 'List of reports' });
    await reports.getByText('80.0 %').waitFor();
    expect(await reports.getByRole('link').getAttribute('href')).toBe(`/judge/reports/${reportId}`);
    expect(faults()).toEqual([]);
  });

  it('results are labelled by keyboard alone, one after the other, and count for the calibration', async () => {
    const { page, faults, axe } = await web.open({ path: '/judge' });
    await page.getByText('Each report names its judge.').waitFor();
    // Without a default judge, the one to label for is chosen where it is asked for.
    await page.getByRole('link', { name: 'Label results' }).click();
    await page.getByRole('heading', { name: 'Which judge?' }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('button').filter({ hasText: 'judge:right' }).click();
    await page.getByText('0 of 100 labels').waitFor();
    await page.goto(`${web.url}/judge/calibration`);
    await button(page, 'Make default').click();
    await page.getByText(/^Uncalibrated: 0 of 100 labels/).waitFor();
    await page.goto(`${web.url}/judge`);
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Judge settings' }).click();
    // The default is chosen already.
    await button(page, 'Clear Model').click();
    await choose(page.getByLabel('Model', { exact: true }), 'judge:right');
    await page.getByLabel('Judge runs automatically below').fill('7');
    await button(page, 'Save the settings').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Judge runs automatically below').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Judge runs automatically below').fill('0');
    await button(page, 'Save the settings').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^Reports, labels/ }).click();
    await page.getByText('judges no run by itself').waitFor();
    expect(await get('/api/settings/judge')).toMatchObject({ judge: JUDGE, auto_below: 0 });
    expect(await axe()).toEqual([]);

    await page.goto(`${web.url}/judge/labels`);
    const progress = page.getByRole('region', { name: 'Progress' });
    await progress.getByText('0 of 100 labels').waitFor();
    const title = page.locator('#to-label');
    const first = await title.textContent();
    expect(await page.getByText('is as good').count()).toBe(0);
    // Letters are not shortcuts while the note is typed.
    await page.keyboard.press('n');
    await page.keyboard.type('a correct view');
    await page.keyboard.press('Escape');
    await page.keyboard.press('w');
    await progress.getByText('1 of 100 labels').waitFor();
    await page.getByRole('status').getByText('Labelled wrong. Next result.').waitFor({ state: 'attached' });
    expect(await title.textContent()).not.toBe(first);
    expect(await axe()).toEqual([]);
    await page.keyboard.press('u');
    await progress.getByText('0 of 100 labels').waitFor();
    expect(await title.textContent()).toBe(first);
    expect(await page.getByLabel('Note').inputValue()).toBe('a correct view');
    await page.keyboard.press('s');
    await page.getByRole('status').getByText('Skipped. Next result.').waitFor({ state: 'attached' });
    for (let n = 1; n < CASES; n++) {
      const wrong = /case [23]/.test((await title.textContent())!);
      await page.keyboard.press(wrong ? 'w' : n % 2 ? 'c' : 'a');
      await progress.getByText(`${n} of 100 labels`).waitFor();
    }
    await page.getByText('Nothing else is left: 1 was skipped.').waitFor();
    await button(page, 'Label skipped results').click();
    expect(await title.textContent()).toBe(first);
    await page.keyboard.press('c');
    await page.getByText('All results are labelled.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Calibration' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Judge calibration' }).waitFor();
    await page.getByText(/^Uncalibrated: 10 of 100 labels/).waitFor();
    await page.getByRole('figure', { name: /^Kappa of the judge/ }).waitFor();
    const confirmed = page.getByRole('figure', { name: /^Shares that people confirm/ });
    await confirmed.getByText(/n 8\)/).waitFor();
    await confirmed.getByText(/n 2\)/).waitFor();
    expect(await axe()).toEqual([]);
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { level: 1, name: 'Judge', exact: true }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('two runs are compared, and a report is repeated and deleted', async () => {
    const better = await aRun([RIGHT, RIGHT, RIGHT, ALARM]);
    const { page, faults, axe } = await web.open({ path: `/judge/new?eval=${better}&against=${runId}` });
    await until(async () => (await page.getByLabel('Judge', { exact: true }).inputValue()) === 'judge:right');
    await button(page, 'Judge').click();
    await page.getByRole('heading', { level: 1, name: 'Judgements of two runs' }).waitFor();
    const reportId = page.url().split('/').at(-1)!;
    await untilReported(reportId);
    const report = await get(`/api/judge/reports/${reportId}`);
    expect(report).toMatchObject({ judge: JUDGE, eval_id: better, baseline_eval_id: runId });
    const pairs = page.getByRole('region', { name: 'Wins and losses of each pair' });
    await pairs.getByRole('row').nth(1).waitFor();
    await page.getByRole('link', { name: /wins of sim/ }).click();
    await page.waitForURL(/preference=win/);
    await page.getByRole('list', { name: 'Judgements' }).getByText('win').first().waitFor();
    expect(await axe()).toEqual([]);

    await button(page, 'Rerun').click();
    await page.getByText(/^version 2 \(others: version 1\)$/).waitFor();
    await page.getByText('completed').waitFor({ timeout: 30_000 });
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Delete the report' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the report' }).click();
    await page.getByRole('heading', { level: 1, name: 'Judge', exact: true }).waitFor();
    await page.getByText('Report deleted.').waitFor();
    await page
      .getByRole('region', { name: 'List of reports' })
      .getByRole('row', { name: /comparison/ })
      .waitFor();
    await page.goto('about:blank');
    await until(async () => (await get('/api/judge/reports')).items.length === 2);
    expect(faults()).toEqual([]);
  });

  it('a viewer sees judgements, and controls that name the role they need', async () => {
    const [{ id: reportId }] = (await get(`/api/judge/reports?eval_id=${runId}`)).items;
    const { page } = await web.open({ path: `/judge/reports/${reportId}`, role: 'viewer' });
    const isRefused = async (control: Locator, needed: string): Promise<void> => {
      await control.waitFor();
      expect(await control.isDisabled()).toBe(true);
      expect(await control.getAttribute('title')).toContain(needed);
    };
    await isRefused(button(page, 'Rerun'), 'editor');
    await page.goto(`${web.url}/judge/new?eval=${runId}`);
    await isRefused(button(page, 'Judge'), 'editor');
    await page.goto(`${web.url}/runs/${runId}/results/0-1-0`);
    await isRefused(page.getByRole('button', { name: /^wrong/ }), 'editor');
    await page.goto(`${web.url}/judge/labels`);
    await page.getByText(/This needs an editor/).waitFor();
    await page.goto(`${web.url}/settings/judge`);
    await isRefused(button(page, 'Save the settings'), 'owner');
  });
});
