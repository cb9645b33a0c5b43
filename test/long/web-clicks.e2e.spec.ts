import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let suiteId: string;

journeys('from the first view', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const { client, simulator } = web;
    await client.post('/api/providers', {
      key: 'sim',
      base_url: `${simulator.url}/v1`,
      models: ['perfect-ish', 'careless-arguments', 'slow-400'].map((id) => ({
        id,
        input_cost_per_mtok: 1000,
        output_cost_per_mtok: 4000,
      })),
    });
    suiteId = await client.importSuite({ ...weatherSuite(12), name: 'Forecasts' });
    const { body: experiment } = await client.post('/api/experiments', { name: 'Autumn', suite_id: suiteId });
    for (const name of ['Monday', 'Tuesday']) {
      const models = ['sim::perfect-ish', 'sim::careless-arguments'];
      const run = { suite_id: suiteId, models, name, experiment_id: experiment.id };
      await untilRunCompleted(client, (await client.post('/api/tool-eval', run)).body.eval_id);
    }
  });

  /** Clicks on one element after the other, starting at `/`. */
  async function clicks(...steps: ((page: Page) => Locator)[]): Promise<{ page: Page; faults: () => string[] }> {
    const { page, faults } = await web.open();
    for (const step of steps) await step(page).first().click();
    return { page, faults };
  }
  const lastRun = (page: Page): Locator => page.getByRole('main').getByRole('link', { name: 'Tuesday' });

  it('no click shows which model calls tools best, with its interval', async () => {
    const { page, faults } = await clicks();
    await page
      .getByText(/perfect-ish/)
      .first()
      .waitFor();
    await page
      .getByText(/100\.0 %.*[\d.]+-100\.0/)
      .first()
      .waitFor();
    expect(faults()).toEqual([]);
  });

  it('one click shows what a run cost', async () => {
    const { page, faults } = await clicks(lastRun);
    await page.getByRole('region', { name: 'Cost', exact: true }).getByText(/^\$\d/).first().waitFor();
    expect(faults()).toEqual([]);
  });

  it('two clicks show why replies failed: the run, the error', async () => {
    const { page, faults } = await clicks(lastRun, (run) => run.getByRole('link', { name: /wrong argument/ }));
    await page
      .getByRole('row', { name: /city: .*, not / })
      .first()
      .waitFor();
    expect(faults()).toEqual([]);
  });

  it('one click shows how an experiment stands, and one more since when', async () => {
    const { page, faults } = await clicks((home) =>
      home.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Experiments' }),
    );
    const autumn = page.getByRole('row', { name: /Autumn/ });
    await autumn.getByText(/as good|too close to call/).waitFor();
    await autumn.getByRole('link', { name: 'Autumn' }).click();
    await page.getByRole('figure', { name: 'Scores of the experiment over time' }).getByText('2 scores').waitFor();
    const entries = page.getByRole('region', { name: 'Entries of the timeline' });
    await entries.getByRole('row', { name: /Monday.*baseline/ }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('two clicks show whether a difference can be trusted: the run, compare', async () => {
    const { page, faults } = await clicks(lastRun, (run) => run.getByRole('link', { name: 'Compare' }));
    await page.getByRole('heading', { level: 1, name: 'Tuesday against Monday' }).waitFor();
    await page
      .getByText(/no difference larger|too close to call|is better|is worse/i)
      .first()
      .waitFor();
    expect(faults()).toEqual([]);
  });

  it('two clicks start a run, and one more stops it from the first view', async () => {
    const models = ['sim::slow-400'];
    const { client } = web;
    await client.post('/api/tool-eval', { suite_id: suiteId, models, samples: 20, name: 'Slow', cache: 'off' });
    const { page } = await clicks();
    await page.getByRole('link', { name: 'Slow' }).first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).first().click();
    await page
      .getByText(/cancelled/)
      .first()
      .waitFor();

    const started = await clicks(
      (home) => home.getByRole('main').getByRole('link', { name: /^Run again/ }),
      (form) => form.getByRole('button', { name: 'Run', exact: true }),
    );
    await started.page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
    expect(started.faults()).toEqual([]);
  });
});
