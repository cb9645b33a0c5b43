import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { until } from '../until.js';
import { journeys, startWeb } from '../web.js';

journeys('a run in the page', () => {
  it('is the same in two browsers while it goes on, though the API is killed and one of them reloads', async () => {
    const web = await startWeb();
    await web.client.post('/api/providers', {
      key: 'sim',
      base_url: `${web.simulator.url}/v1`,
      models: [{ id: 'slow-400' }],
    });
    const { body: suite } = await web.client.post('/api/tool-eval/import', weatherSuite(100));
    const { body: run } = await web.client.post('/api/tool-eval', {
      suite_id: suite.suite_id,
      models: ['sim::slow-400'],
    });
    const path = `/runs/${run.eval_id}`;
    const [first, second] = [await web.open({ path }), await web.open({ path })];
    await first.page.getByRole('progressbar').first().waitFor();
    const settled = async (): Promise<number> =>
      (await web.client.get(`/api/tool-eval/history/${run.eval_id}`)).body.counts.settled;
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
});
