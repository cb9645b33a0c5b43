import type { Page } from 'playwright-core';
import { weatherSuite } from './client.js';
import { until } from './until.js';
import { journeys, startWeb, type WebSystem } from './web.js';

let web: WebSystem;

async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

journeys('a run in the page', () => {
  beforeAll(async () => {
    web = await startWeb();
    await web.client.post('/api/providers', {
      key: 'sim',
      name: 'Simulator',
      base_url: `${web.simulator.url}/v1`,
      models: [{ id: 'perfect-ish' }, { id: 'wrong-tool' }, { id: 'slow-400' }],
    });
  });

  it('goes from a new suite to the reason of a failure', async () => {
    const { page, faults, axe } = await web.open({ path: '/suites/new' });
    await page.getByLabel('Name', { exact: true }).fill('Support desk');
    await page.getByRole('textbox', { name: 'Tools' }).waitFor();
    const tool = (name: string) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    });
    await type(page, 'Tools', JSON.stringify([tool('track_order'), tool('refund_order')]));
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: 'Add a case' }).click();
    await page.getByLabel('Prompt', { exact: true }).fill('Where is order A-17?');
    await page.getByLabel('Tool', { exact: true }).selectOption('track_order');
    await type(page, 'Arguments', '{"id": "A-17"}');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: /^Case 1/ }).waitFor();

    await page.getByRole('link', { name: 'Support desk' }).first().click();
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    await page.getByRole('checkbox', { name: /perfect-ish/ }).check();
    await page.getByRole('checkbox', { name: /wrong-tool/ }).check();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const figures = page.getByRole('region', { name: 'Figures of each model' });
    await figures.getByText(/100\.0 % .*n 1\)/).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('link', { name: 'Results', exact: true }).click();
    await page.getByRole('grid').getByRole('link', { name: 'Where is order A-17?' }).first().click();
    await page
      .getByText('The called tool is "refund_order"')
      .or(page.getByText(/refund_order/))
      .first()
      .waitFor();
    expect(await axe()).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it('is the same in two browsers while it goes on, though the API is killed and one of them reloads', async () => {
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
