import type { Page } from 'playwright-core';
import { joinWeb, journeys, type TeamWeb } from './web.js';

let web: TeamWeb;

async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

journeys('a run in the page', () => {
  beforeAll(async () => {
    web = await joinWeb();
    await web.client.post('/api/providers', {
      key: 'sim',
      name: 'Simulator',
      base_url: `${web.simulator.url}/v1`,
      models: [{ id: 'perfect-ish' }, { id: 'wrong-tool' }],
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
    await page.getByLabel('id', { exact: true }).fill('A-17');
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
    // Both models have answered one case; the wrong one may not have done so yet.
    const wrong = page.getByRole('grid').getByRole('row').filter({ hasText: 'wrong-tool' });
    await wrong.getByRole('link', { name: 'Where is order A-17?' }).click();
    await page
      .getByText('The called tool is "refund_order"')
      .or(page.getByText(/refund_order/))
      .filter({ visible: true })
      .first()
      .waitFor();
    expect(await axe()).toEqual([]);
    expect(faults()).toEqual([]);
  });
});
