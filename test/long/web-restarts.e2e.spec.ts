// A private system: it kills the API.
import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { until } from '../until.js';
import { journeys, startWeb, type WebSystem } from '../web.js';

let web: WebSystem;

async function startRun(cases: number, model: string): Promise<string> {
  const { body: suite } = await web.client.post('/api/tool-eval/import', weatherSuite(cases));
  const input = { suite_id: suite.suite_id, models: [`sim::${model}`], cache: 'off' };
  return (await web.client.post('/api/tool-eval', input)).body.eval_id;
}

journeys('a run in the page', () => {
  beforeAll(async () => {
    web = await startWeb();
    await web.client.post('/api/providers', {
      key: 'sim',
      base_url: `${web.simulator.url}/v1`,
      models: [{ id: 'slow-400' }, { id: 'slow-1500' }],
    });
  });

  it('is the same in two browsers while it runs, even though the API is killed and one of them reloads', async () => {
    const runId = await startRun(100, 'slow-400');
    const path = `/runs/${runId}`;
    const [first, second] = [await web.open({ path }), await web.open({ path })];
    await first.page.getByRole('progressbar').first().waitFor();
    const settled = async (): Promise<number> =>
      (await web.client.get(`/api/tool-eval/history/${runId}`)).body.counts.settled;
    await until(async () => (await settled()) > 10);
    await web.restartApi();
    await until(async () => (await settled()) > 30);
    await second.page.reload();
    for (const { page } of [first, second]) {
      const figures = page.getByRole('region', { name: 'Figures of each model' });
      await figures.getByText(/n 100\)/).waitFor({ timeout: 60_000 });
    }
    const shown = ({ page }: { page: Page }) => page.getByRole('region', { name: 'Figures of each model' }).innerText();
    expect(await shown(first)).toBe(await shown(second));
    expect(second.faults()).toEqual([]);
  });

  it('continues when the server was away for longer than clients wait', async () => {
    const { page, faults } = await web.open({ path: `/runs/${await startRun(120, 'slow-1500')}` });
    await page.getByRole('region', { name: 'Newest results' }).getByRole('link').first().waitFor();
    await web.restartApi(() => page.getByText(/No live connection/).waitFor());
    await page.getByText(/No live connection/).waitFor({ state: 'hidden' });
    // The duration of the rest does not matter.
    await web.client.patch('/api/providers/sim', { limits: { max_concurrency: 60 } });
    await page.getByRole('region', { name: 'Figures of each model' }).getByText(/n 120/).waitFor({ timeout: 60_000 });
    expect(faults()).toEqual([]);
  });
});
