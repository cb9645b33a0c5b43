import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { choose, joinWeb, journeys, tabTo, type TeamWeb } from '../web.js';

let web: TeamWeb;
let suiteId: string;

const CASES = 60;
const MODEL = 'sim::prompt-sensitive:it';
const HELP = 'Name the city in English.';

const button = (page: Page | Locator, name: string): Locator => page.getByRole('button', { name, exact: true });
const link = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole('link', { name });
const status = (page: Page | Locator, word: string): Locator => page.locator('.status', { hasText: word }).first();
const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });
const get = async (path: string) => (await web.client.get(path)).body;

async function aRun(input: object): Promise<string> {
  const { body } = await web.client.post('/api/tool-eval', { suite_id: suiteId, models: [MODEL], ...input });
  await untilRunCompleted(web.client, body.eval_id);
  return body.eval_id;
}

/** Opens a menu, and does what one of its items says. */
async function act(page: Page, menu: string, item: string): Promise<void> {
  await button(page, menu).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function isRefused(control: Locator): Promise<void> {
  await control.waitFor();
  expect(await control.isDisabled()).toBe(true);
  expect(await control.getAttribute('title')).toContain('editor');
}

journeys('experiments and gates', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const models = ['prompt-sensitive:it', 'slow-1500'].map((id) => ({ id }));
    const limits = { max_concurrency: 20 };
    await web.client.post('/api/providers', { key: 'sim', base_url: `${web.simulator.url}/v1`, limits, models });
    await fetch(`${web.simulator.url}/control/prompt-sensitive/it`, {
      method: 'POST',
      body: JSON.stringify({ base: 0.5, rules: [{ phrase: 'Name the city in English', where: 'system', gain: 0.45 }] }),
    });
    suiteId = await web.client.importSuite(weatherSuite(CASES));
  });

  it('an experiment is created by keyboard, and shows its runs as they end, each against the baseline', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/experiments' });
    await page.getByText('No experiments yet.').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await link(page, 'New experiment').first().click();
    await page.getByLabel('Name', { exact: true }).fill('Prompts');
    await page.getByLabel('Margin').fill('7');
    await choose(page.getByLabel('Suite'), 'Weather');
    await page.keyboard.press('Control+Enter');
    await page
      .getByText(/expected number to be <=1|at most 1|<= ?1/i)
      .first()
      .waitFor();
    await page.getByLabel('Margin').fill('0.02');
    await tabTo(button(page, 'Create experiment'));
    await page.keyboard.press('Enter');
    await heading(page, 'Prompts').waitFor();
    await page.getByText('No entries yet.').waitFor();
    const experiment_id = page.url().split('/').at(-1)!;

    const first = await aRun({ experiment_id, name: 'First try' });
    const entries = page.getByRole('region', { name: 'Entries of the timeline' });
    await entries.getByText('the baseline', { exact: true }).waitFor();
    const better = await aRun({ experiment_id, name: 'With help', system_prompt: HELP });
    await status(entries, 'improved').waitFor();
    await web.client.post(`/api/tool-suites/${suiteId}/cases`, { prompt: 'Paris?', expected_tool: 'get_weather' });
    await aRun({ experiment_id, system_prompt: HELP, temperature: 0.5 });
    await entries.getByRole('row').nth(3).waitFor();
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByText('Better').waitFor();
    await link(now, 'With help').waitFor();
    await now.getByText(/Changed: system prompt\./).waitFor();
    const figure = page.getByRole('figure', { name: 'Scores of the experiment over time' });
    await figure.getByText(/3 scores, .*2 versions of the suite/).waitFor();
    expect(await figure.locator('line[class*="reference_"]').count()).toBe(1);
    expect(await figure.locator('polyline').count()).toBe(2);
    await figure.getByRole('link', { name: /^First try, .*, the baseline$/ }).focus();
    await page.keyboard.press('ArrowRight');
    await figure.getByText(/^With help/).waitFor();
    expect(await figure.getByRole('link', { name: /^With help, .*, better than the baseline$/ }).count()).toBe(1);
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);

    await act(page, 'Actions for With help', 'Pin as baseline');
    await page.getByText('Pinned With help.').waitFor();
    await page.getByText(/, pinned/).waitFor();
    await button(page, 'Undo').click();
    await until(async () => (await get(`/api/experiments/${experiment_id}`)).baseline_eval_id === first);
    await status(entries, 'improved').waitFor();
    await act(page, 'Actions for With help', 'Pin as baseline');
    await status(entries, 'regressed').waitFor();
    await now
      .getByText('Worse')
      .or(now.getByText(/Too close|As good|Nothing/))
      .waitFor();
    await entries.locator('a[href^="/compare"]').last().click();
    await page.waitForURL((url) => url.pathname === '/compare' && url.search.includes(first));
    await page.goBack();
    await button(page, 'Run best').click();
    await page.getByLabel('Samples per case').fill('2');
    await button(page.getByRole('dialog'), 'Run').click();
    await page.waitForURL(/\/runs\/[\da-f-]{36}$/);
    const again = await get(`/api/tool-eval/history/${page.url().split('/').at(-1)}`);
    expect(again).toMatchObject({ experiment_id, config: { samples: 2, system_prompt: HELP } });
    expect((await get(`/api/experiments/${experiment_id}`)).baseline_eval_id).toBe(better);
    expect(faults()).toEqual([]);
  });

  it('an experiment is renamed, archived, found again and deleted, and its runs stay', async () => {
    const { body } = await web.client.post('/api/experiments', { name: 'Old', suite_id: suiteId });
    const runId = await aRun({ experiment_id: body.id });
    const { page, faults, axe } = await web.open({ path: `/experiments/${body.id}`, width: 360 });
    await page.getByRole('region', { name: 'Entries of the timeline' }).waitFor();
    await act(page, 'More actions', 'Edit');
    await page.getByLabel('Name', { exact: true }).fill('Older');
    await page.getByLabel('Description', { exact: true }).fill('It tried nothing.');
    await page.keyboard.press('Control+Enter');
    await heading(page, 'Older').waitFor();
    await act(page, 'More actions', 'Archive');
    await page.getByText('Archived.', { exact: true }).waitFor();
    await page.goto(`${web.url}/experiments`);
    await link(page.getByRole('region', { name: 'List of experiments' }), 'Prompts').waitFor();
    expect(await link(page, 'Older').count()).toBe(0);
    await page.getByLabel('Status').selectOption('archived');
    await page.waitForURL(/status=archived/);
    await link(page, 'Older').waitFor();
    expect(await axe()).toEqual([]);
    const viewer = await web.open({ path: `/experiments/${body.id}`, role: 'viewer' });
    await isRefused(button(viewer.page, 'Run best'));
    await button(viewer.page, 'More actions').click();
    for (const name of [/^Edit/, /^Reactivate/, /^Delete/])
      expect(await viewer.page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
    await link(page, 'Older').click();
    await act(page, 'More actions', 'Delete');
    await page
      .getByRole('dialog')
      .getByText(/Its 1 run stays/)
      .waitFor();
    await button(page, 'Delete the experiment').click();
    await heading(page, 'Experiments').waitFor();
    expect(await link(page, 'Older').isVisible()).toBe(false);
    // Leaving the page does not wait for the time in which it can be taken back.
    await page.goto(`${web.url}/experiments/new`);
    await until(async () => (await web.client.get(`/api/experiments/${body.id}`)).status === 404);
    expect(await get(`/api/tool-eval/history/${runId}`)).toMatchObject({ status: 'completed', experiment_id: null });
    await page.goto(`${web.url}/experiments/${body.id}`);
    await page.getByText('There is no such experiment in your team').waitFor();
    expect([...faults(), ...viewer.faults()]).toEqual([]);
  });

  it('a gate is created with its baseline, runs, explains why it fails, and shows the broken cases', async () => {
    await aRun({ name: 'What is shipped', system_prompt: HELP });
    const { page, faults, axe, isTooWide } = await web.open({ path: '/gates' });
    await page.getByText('No gates yet.').waitFor();
    await link(page, 'New gate').first().click();
    await page.getByLabel('Name', { exact: true }).fill('main');
    await choose(page.getByLabel('Suite'), 'Weather');
    await choose(page.getByLabel('Run', { exact: true }), 'What is shipped');
    await page.getByText(/^With 6[01] cases, a loss of/).waitFor();
    await page.getByText('An equal run cannot pass').waitFor();
    await page.getByText('More rules').click();
    await page.getByLabel('Looks').fill('9');
    await button(page, 'Create gate').click();
    await page
      .locator('.field', { has: page.getByLabel('Looks') })
      .locator('.field-error')
      .waitFor();
    await page.getByLabel('Looks').fill('2');
    expect(await axe()).toEqual([]);
    await button(page, 'Create gate').click();
    await heading(page, 'main').waitFor();
    await page.getByText('2 points of overall').waitFor();
    await page.getByText('An equal run cannot pass').first().waitFor();
    await page.getByText(/^All looks: \d+ requests/).waitFor();

    await page.getByLabel('System prompt').fill('Answer quickly.');
    await button(page, 'Run gate').click();
    await heading(page, /Run of gate main/).waitFor();
    await page.getByRole('heading', { name: 'Decision' }).waitFor({ timeout: 90_000 });
    const answer = page.getByRole('region', { name: 'Decision' });
    await status(answer, 'failed').waitFor();
    await answer.getByRole('article').first().getByText('broken').waitFor();
    await answer.getByText('/system_prompt').waitFor();
    const looks = answer.getByRole('figure', { name: 'Difference from the baseline at each look' });
    await looks.getByRole('img', { name: /^Look \d, \d samples? of each case: .* points .*, failed$/ }).waitFor();
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);
    await link(answer, 'Comparison').click();
    await page.waitForURL(/\/compare\?.*extended=true/);
    await status(page, 'regressed').waitFor();
    expect(faults()).toEqual([]);
  });

  it('a gate changes to its next version, checks a run, and is refused to viewers; its run is cancelled', async () => {
    const [gate] = (await get('/api/gates?name=main')).items;
    const { page, faults, axe } = await web.open({ path: `/gates/${gate.id}`, width: 360 });
    await status(page.getByRole('region', { name: 'List of gate runs' }), 'failed').waitFor();
    await page.getByText('Edit name and rules').click();
    await page.getByLabel('Margin').fill('0.05');
    await button(page, 'Save the gate').click();
    await page.getByText('version 2', { exact: true }).waitFor();
    await page.getByLabel('Run of the suite').click();
    await page.getByRole('option', { name: /^First try/ }).click();
    await page.waitForURL(/check=/);
    await status(page.getByRole('region', { name: 'Check a run' }), 'failed').waitFor();
    expect(await axe()).toEqual([]);

    const viewer = await web.open({ path: `/gates/${gate.id}`, role: 'viewer' });
    await isRefused(button(viewer.page, 'Run gate'));
    const { body } = await web.client.post(`/api/gates/${gate.id}/run`, { config: { models: ['sim::slow-1500'] } });
    await page.goto(`${web.url}/gates/${gate.id}/runs/${body.gate_run_id}`);
    await page.getByText(/results of this look/).waitFor();
    await button(page, 'Cancel').click();
    await status(page, 'cancelled').waitFor();
    await button(page, 'Resume').waitFor();
    await page.goto(`${web.url}/gates/${gate.id}`);
    const remove = async (): Promise<void> => {
      await button(page, 'More actions').click();
      await page.getByRole('menuitem', { name: 'Delete the gate' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete the gate' }).click();
      await heading(page, 'Gates').waitFor();
    };
    await remove();
    await button(page, 'Undo').click();
    const row = page.getByRole('region', { name: 'List of gates' }).getByRole('row').last();
    await status(row, 'failed').waitFor();
    await link(page, 'main').click();
    await remove();
    // What waits to be deleted goes when the page is left.
    await page.goto('about:blank');
    await until(async () => (await web.client.get(`/api/gates/${gate.id}`)).status === 404);
    expect([...faults(), ...viewer.faults()]).toEqual([]);
  });
});
