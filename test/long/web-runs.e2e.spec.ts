import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { fillRun, type FilledRun } from '../web-screens.js';
import { until } from '../until.js';
import { act, choose, joinWeb, journeys, tabTo, type TeamWeb } from '../web.js';

let web: TeamWeb;

/** A run that takes a while: each reply takes 1.5 s, eight at a time. */
async function startSlowRun(name: string, cases = 120): Promise<{ runId: string; jobId: string }> {
  const { body: imported } = await web.client.post('/api/tool-eval/import', { ...weatherSuite(cases), name });
  const { body } = await web.client.post('/api/tool-eval', {
    suite_id: imported.suite_id,
    models: ['sim::slow-1500'],
    name,
    cache: 'off',
  });
  return { runId: body.eval_id, jobId: body.job_id };
}

const addModels = (client: TeamWeb['client'], models: string[]) =>
  client.patch('/api/providers/sim', {
    models: models.map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 4 })),
  });

const rowsOfRuns = (page: Page) => page.getByRole('region', { name: 'List of runs' }).getByRole('row');

journeys('a team that has run nothing', () => {
  it('is shown its first steps, and the example is two clicks from its first run', async () => {
    web = await joinWeb();
    const { page, faults, axe } = await web.open();
    await page.getByRole('heading', { name: 'First steps: 0 of 5' }).waitFor();
    await page.getByRole('link', { name: 'Connect', exact: true }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Use the example suite' }).click();
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    await page.getByText('Version 1, 3 cases.').waitFor();
    await page.getByText('No provider has a model yet.').waitFor();
    expect(faults()).toEqual([]);
  });
});

journeys('runs', () => {
  let filled: FilledRun;
  beforeAll(async () => {
    web = await joinWeb();
    filled = await fillRun(web);
    await addModels(web.client, ['perfect-ish', 'careless-arguments', 'scripted:odd', 'scripted:broken', 'slow-1500']);
  });

  it('show which model is better, how certain that is, what it cost, and why the others failed', async () => {
    const { page, faults } = await web.open();
    const ofSuite = page
      .getByRole('article', { name: 'Suite Weather' })
      .getByRole('link', { name: 'Weather', exact: true });
    await ofSuite.and(page.locator('[href^="/runs/"]')).click();
    const figures = page.getByRole('region', { name: 'Figures of each model' });
    await figures
      .getByText(/100\.0 % \(\d+\.\d-\d+\.\d, n 6\)/)
      .first()
      .waitFor();
    await page.locator('.sentence').getByText(/\w/).first().waitFor();
    await figures
      .getByText(/\$0\.\d{4}|< \$0\.0001/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: '6 errored results of sim::scripted:broken' }).click();
    await page.waitForURL(
      (url) => url.pathname.endsWith('/results') && decodeURIComponent(url.search).includes('errored'),
    );
    await page.goBack();
    await act(page, 'Name and note');
    await page.getByLabel('Name', { exact: true }).fill('The first one');
    await page.getByLabel('Note', { exact: true }).fill('Four models at once');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'The first one' }).waitFor();
    await page.getByText('Four models at once').waitFor();
    const download = page.waitForEvent('download');
    await act(page, 'Export as CSV for Excel');
    const [, runId] = /runs\/([\da-f-]{36})/.exec(page.url())!;
    expect((await download).suggestedFilename()).toBe(`toolmark-${runId}.csv`);
    expect(faults()).toEqual([]);
  });

  it('are set up with their estimate, and typed text survives a reload', async () => {
    // More suites than any list has on a page.
    for (let n = 0; n < 202; n++) await web.client.importSuite({ ...weatherSuite(1), name: `${n}` });
    const { page, faults, axe } = await web.open({ path: '/runs/new' });
    // The suite that ran last is chosen already; its models are a click away.
    await until(async () => (await page.getByLabel('Suite', { exact: true }).inputValue()) === 'Weather');
    await page.getByRole('button', { name: 'Clear Suite' }).click();
    await page.getByText('Choose a suite.').waitFor();
    await choose(page.getByLabel('Suite', { exact: true }), 'Weather');
    await page.getByRole('button', { name: /^As last time/ }).click();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('More settings').click();
    await page.getByLabel('Filter models').fill('perf');
    await page.getByRole('checkbox', { name: /perfect-ish/ }).check();
    const estimate = page.getByRole('complementary', { name: 'Estimate' });
    await estimate.getByText(/\$/).first().waitFor();
    await page.getByLabel('Samples').fill('1000');
    await page.locator('input[aria-invalid="true"]').waitFor();
    expect(await page.getByLabel('Samples').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Samples').fill('2');
    await page.getByLabel('Name', { exact: true }).fill('Twice');
    await page.getByLabel('Maximum reply tokens').fill('512');
    await page.getByLabel('Provider parameters').fill('{"top_p": 0.9');
    await estimate.getByText('The provider parameters are not a JSON object.').waitFor();
    await page.getByLabel('Provider parameters').fill('{"top_p": 0.9}');
    await page.getByLabel('Only cases of a category').fill('none such');
    await page
      .getByText(/No case of the suite has the category/)
      .first()
      .waitFor();
    await page.getByLabel('Only cases of a category').fill('');
    await page.getByLabel('Metric to add').selectOption('axion_tool_correctness');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('fuzzy_threshold').fill('0.75');
    await page.getByLabel('scoring', { exact: true }).selectOption('f1');
    await estimate.getByText(/\$/).first().waitFor();
    const prompt = page.getByLabel('System prompt', { exact: true });
    await prompt.selectOption('all');
    await page.getByLabel('For all models').fill('Be brief.');
    await prompt.selectOption('none');
    await page.reload();
    await page.getByText('Your unsent changes are back.').waitFor();
    expect(await page.getByLabel('Samples').inputValue()).toBe('2');
    await page.getByText('More settings').click();
    await prompt.selectOption('all');
    expect(await page.getByLabel('For all models').inputValue()).toBe('Be brief.');
    await prompt.selectOption('none');
    await page.getByRole('button', { name: 'New experiment' }).click();
    await page.getByLabel('Name of the experiment').fill('Prompts');
    await page.getByRole('button', { name: 'Create' }).click();
    await until(async () => (await page.getByLabel('Experiment', { exact: true }).inputValue()) === 'Prompts');
    expect(await axe()).toEqual([]);
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'Twice' }).waitFor();
    const runId = page.url().split('/').at(-1)!;
    await untilRunCompleted(web.client, runId);
    // The page is notified of the end.
    await page.getByRole('region', { name: 'Figures of each model' }).getByText(/n 12/).waitFor();
    await page.getByRole('link', { name: 'Run again' }).click();
    await page.getByRole('checkbox', { name: /perfect-ish/ }).waitFor();
    expect(await page.getByRole('checkbox', { name: /perfect-ish/ }).isChecked()).toBe(true);
    expect(await page.getByLabel('Samples').inputValue()).toBe('2');
    expect(await page.getByLabel('Maximum reply tokens').inputValue()).toBe('512');
    expect(await page.getByLabel('Provider parameters').inputValue()).toBe('{"top_p":0.9}');
    expect(await page.getByLabel('fuzzy_threshold').inputValue()).toBe('0.75');
    expect(await page.getByLabel('scoring', { exact: true }).inputValue()).toBe('f1');
    // The models of a suite's newest run are preselected for its next one.
    const { suite } = (await web.client.get(`/api/tool-eval/history/${runId}`)).body;
    await page.goto(`${web.url}/runs/new?suite=${suite.id}`);
    await page.getByRole('group', { name: 'Models, 1 chosen' }).waitFor();
    await page.getByRole('complementary', { name: 'Estimate' }).getByText(/\$/).first().waitFor();
    // At the defaults, all replies would be those of the run before.
    await page.getByLabel('Ask the models again').check();
    await page.getByText('stored replies refresh').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true);
    expect(faults()).toEqual([]);
  });

  it('are set up, started, cancelled, resumed and deleted by keyboard alone', async () => {
    const { page, faults } = await web.open({ path: '/runs' });
    const { keyboard } = page;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await rowsOfRuns(page).nth(1).waitFor();
    await tabTo(page.getByRole('link', { name: 'New run' }).first());
    await keyboard.press('Enter');
    // The list before it has a field of the same name.
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    await tabTo(page.getByLabel('Suite', { exact: true }));
    await keyboard.type('Weather');
    await page.getByRole('option', { name: 'Weather' }).first().waitFor();
    await keyboard.press('Enter');
    await tabTo(page.getByLabel('Filter models'));
    await keyboard.type('slow');
    await tabTo(page.getByRole('checkbox', { name: /slow-1500/ }));
    await keyboard.press('Space');
    await tabTo(page.getByLabel('Samples'));
    await keyboard.type('20');
    await tabTo(page.getByText('More settings'));
    await keyboard.press('Enter');
    await tabTo(page.getByLabel('Name', { exact: true }));
    await keyboard.type('Without a mouse');
    const estimate = page.getByRole('complementary', { name: 'Estimate' });
    await estimate.getByText(/\$/).first().waitFor();
    await tabTo(button('Run'));
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Without a mouse' }).waitFor();
    await tabTo(button('Cancel'));
    await keyboard.press('Enter');
    await page.locator('.status', { hasText: 'cancelled' }).waitFor();
    await tabTo(button('Resume'));
    await keyboard.press('Enter');
    await button('Resume').waitFor({ state: 'detached' });
    await tabTo(button('Cancel'));
    await keyboard.press('Enter');
    // What is under way cannot be deleted.
    await button('Resume').waitFor();
    const startDelete = async (): Promise<void> => {
      await tabTo(button('More actions'));
      await keyboard.press('Enter');
      // The menu moves the focus to its first item when it has opened.
      await page.locator('[role=menuitem]:focus').waitFor();
      await keyboard.press('End');
      await keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Delete this run?' }).waitFor();
    };
    await startDelete();
    await keyboard.press('Escape');
    await startDelete();
    await tabTo(button('Delete the run'));
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.getByRole('link', { name: 'Without a mouse' }).waitFor({ state: 'hidden' });
    expect(faults()).toEqual([]);
  });

  it('are watched as results arrive, in a list that does not move, and are cancelled and resumed', async () => {
    // Enough cases that it is still in progress after the checks, even on a busy machine.
    const { runId } = await startSlowRun('Slow', 200);
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}` });
    const newest = page.getByRole('region', { name: 'Newest results' });
    await newest.getByRole('button', { name: /^Show \d+ more$/ }).waitFor();
    const firstOf = (): Promise<string> => newest.getByRole('link').first().innerText();
    const before = await firstOf();
    await newest.getByRole('button', { name: /^Show ([5-9]|\d\d) more$/ }).waitFor();
    expect(await firstOf()).toBe(before);
    await newest.getByRole('button', { name: /^Show \d+ more$/ }).click();
    expect(await firstOf()).not.toBe(before);
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('– cancelled').waitFor(); // Not the message, which says what was cancelled.
    // The duration of the rest does not matter.
    await web.client.patch('/api/providers/sim', { limits: { max_concurrency: 60 } });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('completed').waitFor({ timeout: 60_000 });
    await web.client.patch('/api/providers/sim', { limits: { max_concurrency: 8 } });
    await page.getByRole('region', { name: 'Figures of each model' }).getByText(/n 200/).waitFor();
    expect(faults()).toEqual([]);
  });

  it('appear in lists as they begin and end, are filtered by address, and deleted after a confirmation', async () => {
    const { page, faults, axe } = await web.open({ path: '/runs?status=under_way' });
    await page.getByText('No runs match.').waitFor();
    const { jobId, runId } = await startSlowRun('Begun elsewhere');
    await page.getByRole('link', { name: 'Begun elsewhere' }).waitFor();
    const menu = /^Actions on Begun/;
    await page.getByRole('button', { name: menu }).click();
    expect(await page.getByRole('menuitem', { name: 'Delete' }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await web.client.post(`/api/jobs/${jobId}/cancel`);
    await page.getByText('No runs match.').waitFor();
    await page.getByLabel('Status').selectOption('cancelled');
    await page.waitForURL(/status=cancelled/);
    await act(page, 'Delete', menu);
    const dialog = page.getByRole('dialog', { name: 'Delete this run?' });
    await dialog.getByText(/\d+ results, rescores/).waitFor();
    expect(await axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete the run' }).click();
    await page.getByRole('link', { name: 'Begun elsewhere' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Begun elsewhere' }).waitFor();
    await act(page, 'Delete', menu);
    await dialog.getByRole('button', { name: 'Delete the run' }).click();
    await page.getByRole('link', { name: 'Begun elsewhere' }).waitFor({ state: 'hidden' });
    // The page is left before the ten seconds are over.
    await page.goto(`${web.url}/runs?model=sim%3A%3Aperfect-ish`);
    await rowsOfRuns(page).nth(1).waitFor();
    await until(async () => (await web.client.get(`/api/tool-eval/history/${runId}`)).status === 404);
    expect(await page.getByLabel('Model').inputValue()).toContain('perfect-ish');
    expect(faults()).toEqual([]);
    await page.goto(`${web.url}/runs?after=none-such`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('search', { name: 'Filter runs' }).waitFor();
    await page.getByRole('link', { name: 'Newest' }).click();
    await rowsOfRuns(page).nth(1).waitFor();
  });

  it('are sorted, searched, and ticked for a comparison; the filters come back for the person', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/runs?status=completed&q=t' });
    const names = () => rowsOfRuns(page).getByRole('link').and(page.locator('[href^="/runs/"]')).allInnerTexts();
    await rowsOfRuns(page).nth(2).waitFor();
    const run = page.getByRole('columnheader', { name: 'Run' });
    await run.getByRole('link').click();
    await page.waitForURL(/order=name/);
    await until(async () => (await run.getAttribute('aria-sort')) === 'ascending');
    const first = await names();
    await run.getByRole('link').click();
    await page.waitForURL(/reverse=true/);
    await until(async () => (await names()).join() === first.toReversed().join());
    await page
      .getByRole('checkbox', { name: /^Compare / })
      .nth(0)
      .check();
    await page.getByText('Tick another run to compare.').waitFor();
    await page
      .getByRole('checkbox', { name: /^Compare / })
      .nth(1)
      .check();
    expect([await axe(), await isTooWide()]).toEqual([[], false]);
    await page.goto(`${web.url}/runs`);
    await page.waitForURL(/order=name/);
    await rowsOfRuns(page).nth(2).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Compare (2)' }).click();
    await page.waitForURL(/\/compare\?runs=/);
    expect(faults()).toEqual([]);
  });

  it('are open to a viewer, with controls that name the role they need', async () => {
    const { page } = await web.open({ path: `/runs/${filled.runId}`, role: 'viewer' });
    const resume = page.getByRole('button', { name: 'Resume' });
    await resume.waitFor();
    expect(await resume.isDisabled()).toBe(true);
    expect(await resume.getAttribute('title')).toContain('editor');
  });
});
