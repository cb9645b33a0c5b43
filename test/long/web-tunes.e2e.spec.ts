import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { until } from '../until.js';
import { untilTuned } from '../web-screens.js';
import { choose, joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;

const ROUTE = '/api/tool-eval/param-tune';
const importSuite = (cases: number, name: string): Promise<string> =>
  web.client.importSuite({ ...weatherSuite(cases), name });

async function submit(input: object): Promise<string> {
  const { status, body } = await web.client.post(ROUTE, input);
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.tune_id as string;
}

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const parameter = (page: Page, number: number): Locator =>
  page.getByRole('group', { name: `Parameter ${number}` }).first();
const armsOf = (page: Page, model: string): Locator =>
  page.getByRole('grid', { name: `Combinations of ${model}, best first` });

async function chooseSuiteAndModel(page: Page, suite: string, model: string): Promise<void> {
  await choose(page.getByLabel('Suite', { exact: true }), suite);
  await page.getByLabel('Filter models').fill(model);
  await page.getByRole('checkbox', { name: model }).check();
}

journeys('tunes', () => {
  beforeAll(async () => {
    web = await joinWeb();
    await web.client.post('/api/providers', {
      key: 'sim',
      name: 'Simulator',
      base_url: `${web.simulator.url}/v1`,
      limits: { max_concurrency: 20 },
      models: ['param-sensitive', 'param-sensitive@50', 'perfect-ish', 'slow-1500'].map((id) => ({
        id,
        input_cost_per_mtok: 1,
        output_cost_per_mtok: 4,
      })),
    });
    await importSuite(60, 'Sixty');
    await importSuite(12, 'Twelve');
  });

  it('are set up by hand with an estimate, show faults at their fields, and lose nothing in a reload', async () => {
    const { page, faults, axe } = await web.open({ path: '/tunes' });
    await page.getByText('No parameter tunes yet.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Tune parameters' }).first().click();
    await page.getByText('Choose a suite.').waitFor();
    await chooseSuiteAndModel(page, 'Sixty', 'param-sensitive@50');
    const estimate = page.getByRole('complementary', { name: 'Estimate' });
    await estimate.getByText(/^1\d distinct$/).waitFor();
    await estimate.getByText(/\$/).first().waitFor();

    const holdout = page.getByLabel('Held-out share');
    await holdout.fill('0.9');
    const measure = page.getByRole('group', { name: 'Measure' });
    await measure.getByText(/leaves \d+ and holds out \d+ of 60 cases/).waitFor();
    expect(await holdout.getAttribute('aria-invalid')).toBe('true');
    await holdout.fill('0.5');
    const temperature = parameter(page, 1);
    await temperature.getByLabel('To', { exact: true }).fill('3');
    await temperature.getByText(/the value/).waitFor();
    expect(await temperature.getByLabel('Parameter', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await temperature.getByLabel('To', { exact: true }).fill('1.0');
    await button(page, 'Add a parameter').click();
    await parameter(page, 3).getByLabel('Values', { exact: true }).fill('0.3, 1.0');
    await page.getByRole('group', { name: 'Base' }).getByLabel('Temperature').fill('1');
    await page.getByRole('group', { name: 'Base' }).getByLabel('Tool choice').selectOption('auto');
    await estimate.getByText('21 distinct').waitFor();
    await page.getByText('Per-model search spaces').click();
    await button(page, 'Add own space').click();
    const own = page.getByRole('group', { name: 'sim::param-sensitive@50', exact: true });
    await own.getByRole('group', { name: 'Parameter 1' }).getByLabel('To', { exact: true }).fill('3');
    await own.getByText(/the value 2.25/).waitFor();
    expect(await temperature.getByText(/the value/).count()).toBe(0);
    expect(await axe()).toEqual([]);
    await button(page, 'Use the shared space').click();
    await estimate.getByText('21 distinct').waitFor();

    await page.reload();
    expect(await holdout.inputValue()).toBe('0.5');
    expect(await temperature.getByLabel('To', { exact: true }).inputValue()).toBe('1.0');
    expect(await parameter(page, 3).getByLabel('Values', { exact: true }).inputValue()).toBe('0.3, 1.0');
    await button(page, 'JSON').click();
    const json = page.getByRole('textbox', { name: 'the search space as JSON' });
    await json.getByText('0.3').waitFor();
    await json.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(
      '{"temperature": [0.3, 1.0], "top_p": [0.3, 1], "tool_choice": ["auto", "required"]}',
    );
    await button(page, 'Rows').click();
    expect(await temperature.getByLabel('Values', { exact: true }).inputValue()).toBe('0.3, 1.0');
    await estimate.getByText('9 distinct').waitFor();
    expect(faults()).toEqual([]);
    await button(page, 'Tune').click();
    await page.getByRole('heading', { level: 1, name: / on Sixty$/ }).waitFor();
    const tuneId = page.url().split('/').at(-1)!;
    const { body: tune } = await web.client.get(`${ROUTE}/history/${tuneId}`);
    await web.client.post(`/api/jobs/${tune.job_id}/cancel`); // Its result does not matter.
    expect(tune.input).toMatchObject({
      holdout: 0.5,
      search_space: { temperature: [0.3, 1], top_p: [0.3, 1], tool_choice: ['auto', 'required'] },
      base: { temperature: 1, tool_choice: 'auto' },
    });
  });

  it('are watched to their verdict; their recommendation is copied as a command, and its run is opened', async () => {
    const [{ id: suiteId }] = (await web.client.get('/api/tool-suites?name=Sixty')).body.items;
    const { body: experiment } = await web.client.post('/api/experiments', { name: 'Settings', suite_id: suiteId });
    const tuneId = await submit({
      suite_id: suiteId,
      experiment_id: experiment.id,
      models: ['sim::param-sensitive@50', 'sim::perfect-ish'],
      search_space: { temperature: [0, 0.3, 0.6, 1], tool_choice: ['auto', 'required'] },
      base: { temperature: 1, tool_choice: 'auto' },
      cache: 'refresh',
    });
    const { page, context, faults, axe } = await web.open({ path: `/tunes/${tuneId}` });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText(/[\d,]+ of [\d,]+ planned requests/).waitFor();
    const arms = armsOf(page, 'sim::param-sensitive@50');
    await arms
      .getByRole('row', { name: /\(\d+\.\d-\d+\.\d, n \d+\)/ })
      .first()
      .waitFor();
    await page.getByText('completed').waitFor({ timeout: 90_000 });
    const model = page.getByRole('region', { name: 'sim::param-sensitive@50' });
    const { body: tune } = await web.client.get(`${ROUTE}/history/${tuneId}`);
    await model.locator('.sentence').getByText(tune.targets[0].text).waitFor();
    await model.getByRole('figure', { name: /minus base on held-out cases/ }).waitFor();
    await page.getByRole('heading', { name: 'Best across models' }).waitFor();
    const answers = page.getByRole('region', { name: 'Recommended for each model' });
    await answers.getByText(tune.targets[0].outcome.replaceAll('_', ' ')).first().waitFor();
    expect(await axe()).toEqual([]);
    const models = page.getByRole('navigation', { name: 'Models' });
    await models.getByRole('link').filter({ hasText: 'perfect-ish' }).click();
    await page.waitForURL(/model=/);
    await page
      .getByRole('region', { name: 'sim::perfect-ish' })
      .getByRole('figure', { name: /^Score by/ })
      .waitFor();
    expect(await model.count()).toBe(0);
    await page.goBack();

    await model.getByRole('button', { name: 'Copy command' }).first().click();
    await model.getByRole('button', { name: 'Copied' }).waitFor();
    const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const { temperature } = tune.targets[0].recommended.config;
    expect(command).toContain(`toolmark run '${suiteId}'`);
    expect(command).toContain(`--models 'sim::param-sensitive@50'`);
    expect(command).toContain(`--temperature '${temperature}'`);

    const space = model.getByRole('figure', { name: /^Score by temperature and tool choice/ });
    await space.getByRole('link', { name: /Temperature .*, tool choice .*, recommended/ }).waitFor();
    await space.getByRole('link').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await model.getByRole('region', { name: /^Combination \d+$/ }).waitFor();

    await arms.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    const opened = page.getByRole('region', { name: /^Combination \d+$/ });
    await opened.getByText('Runs:').waitFor();
    expect(await axe()).toEqual([]);
    await opened.getByRole('link', { name: 'Run it' }).click();
    await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
    expect(await page.getByLabel('Temperature').inputValue()).toBe(String(temperature));
    await page.goBack();
    await arms.focus();
    await page.keyboard.press('Enter');
    await opened.getByRole('link').last().click();
    await page.waitForURL(/\/runs\/[\da-f-]{36}$/);
    await page.getByRole('heading', { level: 1, name: 'Sixty' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Run of the winner in its experiment' }).click();
    await page.waitForURL(`**/runs/${tune.promoted_eval_id}`);
    expect(faults()).toEqual([]);
  });

  it('are cancelled, resumed, copied and deleted', async () => {
    const [{ id: suiteId }] = (await web.client.get('/api/tool-suites?name=Twelve')).body.items;
    const tuneId = await submit({
      suite_id: suiteId,
      models: ['sim::slow-1500'],
      search_space: { temperature: [0, 0.5, 1], max_tokens: [512, 1024, 2048] },
      base: { max_tokens: 1024 },
      mode: 'grid',
      holdout: 0,
      margin: 0,
      seed: 0,
      cache: 'off',
    });
    const { page, faults } = await web.open({ path: '/' });
    await page.getByRole('link', { name: 'Parameter tune' }).click();
    await page.getByRole('heading', { level: 1, name: / on Twelve$/ }).waitFor();
    await button(page, 'Cancel').click();
    await page.getByText('cancelled').first().waitFor();
    // The duration of the rest does not matter.
    await web.client.patch('/api/providers/sim', { limits: { max_concurrency: 100 } });
    await button(page, 'Resume').click();
    await button(page, 'Resume').waitFor({ state: 'detached' });
    await page.getByText('completed').waitFor({ timeout: 90_000 });
    await page.getByRole('link', { name: 'Tune again' }).click();
    await page.getByRole('heading', { level: 1, name: 'New parameter tune' }).waitFor();
    for (const label of ['Held-out share', 'Margin', 'Seed', 'Temperature'])
      expect([label, await page.getByLabel(label, { exact: true }).inputValue()]).toEqual([label, '0']);
    expect(await page.getByRole('radio', { name: /grid/ }).isChecked()).toBe(true);
    await page.goBack();
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Colder is better');
    await button(page, 'Save').click();
    await page.getByRole('heading', { level: 1, name: 'Colder is better' }).waitFor();
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Delete the tune' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this tune?' });
    await dialog.getByText(/This deletes its 9 combinations/).waitFor();
    await dialog.getByRole('button', { name: 'Delete the tune' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tunes' }).waitFor();
    await until(async () => (await web.client.get(`${ROUTE}/history/${tuneId}`)).status === 404);
    await page.getByRole('link', { name: / on Twelve/ }).waitFor({ state: 'detached' });
    expect(faults()).toEqual([]);
  });

  it('have presets, which are saved, used and deleted', async () => {
    const { page, faults } = await web.open({ path: '/tunes/new' });
    await button(page, 'Save as preset').click();
    await page.getByLabel('Preset name').fill('Warm');
    await button(page, 'Save').click();
    await button(page, 'Use preset').waitFor();
    await page.getByLabel(/^Preset/).selectOption({ label: 'Warm' });
    await page.getByRole('button', { name: 'Remove temperature' }).click();
    await page.getByRole('button', { name: 'Remove tool_choice' }).click();
    await page.getByText('No parameters yet.').waitFor();
    await button(page, 'Use preset').click();
    expect(await parameter(page, 1).getByLabel('Step').inputValue()).toBe('0.25');
    expect(await parameter(page, 2).getByLabel('Values', { exact: true }).inputValue()).toBe('auto, required');
    await button(page, 'Delete the preset').click();
    await button(page, 'Delete the preset').last().click();
    await page.getByLabel(/^Preset/).waitFor({ state: 'detached' });
    expect(faults()).toEqual([]);
  });

  it('have a list of thousands of combinations, and only those in view are drawn', async () => {
    const [{ id: suiteId }] = (await web.client.get('/api/tool-suites?name=Twelve')).body.items;
    const tuneId = await submit({
      suite_id: suiteId,
      models: ['sim::perfect-ish'],
      search_space: { temperature: { min: 0, max: 1, step: 0.02 }, max_tokens: { min: 1000, max: 1039, step: 1 } },
      mode: 'random',
      trials: 5,
      holdout: 0,
    });
    await untilTuned(web.client, tuneId);
    const { page, faults } = await web.open({ path: `/tunes/${tuneId}` });
    await page.getByText(/2,0\d\d combinations, 2,0\d\d distinct/).waitFor();
    await page.getByText(/^Not measured: 2,0\d\d$/).click();
    const list = page.getByRole('grid', { name: 'Not measured, sim::perfect-ish' });
    await list.focus();
    await page.keyboard.press('End');
    await list.getByRole('row').last().getByText('1039').waitFor();
    expect(await list.getByRole('row').count()).toBeLessThan(100);
    expect(faults()).toEqual([]);
  });

  it('are open to a viewer, with controls that name the role they need', async () => {
    const { page } = await web.open({ path: '/tunes/new', role: 'viewer' });
    const isRefused = async (control: Locator): Promise<void> => {
      await control.waitFor();
      expect(await control.isDisabled()).toBe(true);
      expect(await control.getAttribute('title')).toContain('editor');
    };
    await isRefused(button(page, 'Tune'));
    expect(await button(page, 'Add a parameter').isDisabled()).toBe(true);
    const trail = page.getByRole('navigation', { name: 'Breadcrumb' });
    await trail.getByRole('link', { name: 'Tunes', exact: true }).click();
    await page
      .getByRole('link', { name: / on Sixty$/ })
      .first()
      .click();
    await button(page, 'More actions').click();
    const deletion = page.getByRole('menuitem', { name: 'Delete the tune' });
    expect(await deletion.getAttribute('aria-disabled')).toBe('true');
    expect(await deletion.getAttribute('title')).toContain('editor');
  });
});
