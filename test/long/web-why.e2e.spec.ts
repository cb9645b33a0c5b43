import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { act, joinWeb, journeys, tabTo, textOf, type TeamWeb } from '../web.js';

let web: TeamWeb;
let suiteId: string;
let runId: string;
let earlierId: string;

const MODELS = ['perfect-ish', 'careless-arguments', 'text-only', 'wrong-tool', 'unknown-tool', 'scripted:broken'];
const CASES = 50;

const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
});

/** Fifty questions for one of three tools, in two categories. */
function suiteOf(): object {
  const suite = weatherSuite(CASES);
  return {
    ...suite,
    tools: [...suite.tools, tool('get_time'), tool('find_street')],
    test_cases: suite.test_cases.map((one, n) => ({
      ...one,
      category: n < 20 ? 'first' : 'second',
      tags: [`t${n % 2}`],
    })),
  };
}

async function aRun(input: object): Promise<{ eval_id: string; job_id: string }> {
  return (await web.client.post('/api/tool-eval', { suite_id: suiteId, ...input })).body;
}

/** Waits until the list at the current address has loaded, and returns its number of results. */
async function listed(page: Page): Promise<number> {
  await page.waitForURL(/\/results/);
  const said = await page.getByText(/^[\d,]+( of [\d,]+)? results?( so far; more load as you scroll)?\.$/).innerText();
  const [, rows = '', all = rows] = /^([\d,]+)(?: of ([\d,]+))?/.exec(said)!;
  return Number(all.replace(',', ''));
}

const inFront = (text: string | null): number => Number(/^[\d,]+/.exec(text ?? '')![0].replace(',', ''));

journeys('why', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const models = [...MODELS, 'slow-5000'].map((id) => ({ id, input_cost_per_mtok: 1, output_cost_per_mtok: 4 }));
    await web.client.post('/api/providers', { key: 'sim', base_url: `${web.simulator.url}/v1`, models });
    await web.script('broken', { replies: [{ status: 400, body: { error: { message: 'The model is loading.' } } }] });
    suiteId = await web.client.importSuite(suiteOf());
    const input = { models: MODELS.map((id) => `sim::${id}`), model_order: 'parallel' };
    earlierId = (await aRun({ models: ['sim::perfect-ish'], name: 'Earlier' })).eval_id;
    runId = (await aRun({ ...input, name: 'Six models' })).eval_id;
    await Promise.all([earlierId, runId].map((id) => untilRunCompleted(web.client, id)));
  });

  it('each figure of a run leads to the results behind it, as many as it shows', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}` });
    const confusion = page.getByRole('region', { name: 'Called tools by expected tool' });
    await confusion.getByRole('link', { name: /expected get_weather, called no call/ }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByLabel('Model of the table').selectOption('sim::text-only');
    await page.waitForURL(/confusion=/);
    const cell = confusion.getByRole('link', { name: /^50 of 50 \(100\.0 %\): expected get_weather, called no call/ });
    await cell.click();
    expect(await listed(page)).toBe(CASES);
    await page.goBack();
    expect(await page.getByLabel('Model of the table').inputValue()).toBe('sim::text-only');
    const grid = page.getByRole('grid', { name: 'Results by expected and called tool' });
    await tabTo(grid);
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    expect(await grid.locator('th[data-active]').innerText()).toBe('get_weather');
    const unknown = /called unknown tool/;
    await page.getByLabel('Model of the table').selectOption('');
    expect(inFront(await confusion.getByRole('link', { name: unknown }).getAttribute('aria-label'))).toBe(CASES);
    for (const name of [/Results by latency/, /Results by score/]) {
      const bar = page.getByRole('figure', { name }).getByRole('link').first();
      const n = inFront(await bar.getAttribute('aria-label'));
      await bar.click();
      expect(await listed(page)).toBe(n);
      await page.goBack();
    }
    await page
      .getByRole('figure', { name: /Results by score/ })
      .getByText('The numbers')
      .click();
    await page.getByRole('region', { name: 'Results by score, in numbers' }).waitFor();
    // The bars of each model are one stop of the keyboard.
    const bars = page.getByRole('group', { name: /^score of text-only/ }).getByRole('link');
    const ofModel = inFront(await bars.first().getAttribute('aria-label'));
    await tabTo(bars.first());
    await page.keyboard.press('Enter');
    await page.waitForURL(/results/);
    expect(await listed(page)).toBe(ofModel);
    await page.goBack();
    const trade = page.getByRole('region', { name: 'Cost against score' });
    await trade.getByText(/best/).first().waitFor();
    await tabTo(trade.getByRole('link', { name: /for 1,000 cases$/ }).first());
    await page.keyboard.press('Enter');
    await page.waitForURL(/results\?model=/);
    await page.goBack();
    expect(faults()).toEqual([]);
  });

  it('groups come before results, and the sample of a group is drawn again from its address', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}` });
    await page.getByRole('link', { name: 'All groups' }).click();
    await page.waitForURL(/\/failures/);
    const groups = page.getByRole('tree', { name: 'Failures by cause' });
    await groups.getByRole('treeitem', { name: /get_weather → no call\W+50\W+text-only/ }).waitFor();
    await page.getByRole('combobox', { name: 'Error', exact: true }).selectOption('no_call');
    await page.waitForURL(/type=no_call/);
    await until(async () => (await groups.getByRole('treeitem').count()) === 2, { what: 'the other groups to go' });
    const type = groups.getByRole('treeitem', { name: /^no call/ });
    await tabTo(groups.getByRole('treeitem', { selected: true }));
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    expect(await type.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/group=/);
    expect(await page.locator(':focus').getAttribute('aria-selected')).toBe('true');
    const drawn = page.getByRole('region', { name: 'Drawn results' });
    const cases = (of: Page = page) =>
      of.getByRole('region', { name: 'Drawn results' }).getByRole('link').allInnerTexts();
    await drawn.getByRole('link').nth(39).waitFor();
    const first = await cases();
    const { page: second } = await web.open({ path: page.url().slice(web.url.length) });
    await second.getByRole('region', { name: 'Drawn results' }).getByRole('link').nth(39).waitFor();
    expect(await cases(second)).toEqual(first);
    await page.getByRole('link', { name: 'Draw again' }).click();
    await page.waitForURL(/seed=2/);
    await drawn.getByRole('link').nth(39).waitFor();
    expect(await cases()).not.toEqual(first);
    expect(await axe()).toEqual([]);
    await drawn.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('facets count under the other filters where possible, otherwise over the whole run, and say which', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}/results` });
    const facet = (name: string) => page.getByRole('group', { name, exact: true });
    const option = (name: string, value: string | RegExp) => facet(name).getByRole('checkbox', { name: value });
    await option('Error', /^wrong tool/).waitFor();
    expect(await listed(page)).toBe(MODELS.length * CASES);
    await option('Model', /text-only/).check();
    expect(await listed(page)).toBe(CASES);
    await option('Category', /^first ?20$/).waitFor();
    await facet('Category').getByText('Within the other filters.').waitFor();
    await option('Category', /^first/).check();
    expect(await listed(page)).toBe(20);
    await option('Error', /no call ?50/).waitFor();
    await facet('Error').getByText('For the whole run.').waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Remove all' }).click();
    await page.getByText('More filters').click();
    const bin = facet('Score').getByRole('button', { name: /^100 %/ });
    const n = Number(/\d+$/.exec(await bin.innerText())![0]);
    await bin.press('Enter');
    expect(await listed(page)).toBe(n);
    expect(await bin.getAttribute('aria-pressed')).toBe('true');
    expect(page.url()).toContain('score=1-1');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON Lines' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`toolmark-${runId}-score-100.jsonl`);
    expect((await textOf(file)).trim().split('\n')).toHaveLength(n);
    expect(faults()).toEqual([]);
  });

  it('cases by model show where models disagree; a cell says what was called and opens its result', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: `/runs/${runId}/matrix`, width: 360, height: 640 });
    const map = page.getByRole('grid', { name: 'Cases by model' });
    const cell = (name: string | RegExp) => map.getByRole('gridcell', { name });
    await page.getByText('Models differ on 50 of 50 cases.').waitFor();
    expect(await isTooWide()).toBe(false);
    expect(await axe()).toEqual([]);
    await cell('0 %, 0 of 50 passed: all cases, sim::text-only').waitFor({ state: 'attached' });
    await tabTo(map);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    const active = page.locator(`[id="${await map.getAttribute('aria-activedescendant')}"]`);
    expect(await active.getAttribute('aria-label')).toMatch(/^errored: case \d+, sim::scripted:broken$/);
    const said = page.getByRole('status').filter({ hasText: /bad request: .*The model is loading/ });
    await said.waitFor({ state: 'attached' });
    expect(await isTooWide()).toBe(false);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/results\/5-\d+-0/);
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    await page.goBack();
    await page.getByRole('combobox', { name: 'Cases', exact: true }).selectOption('all_failed');
    await page.getByText('At least one model passed each case.').waitFor();
    await page.getByRole('link', { name: 'Show all cases' }).click();
    await page.waitForURL(/show=all$/);
    await cell(/^passed: case \d+, sim::perfect-ish$/)
      .first()
      .waitFor();
    await page.getByLabel('Order').selectOption('category');
    await page.waitForURL(/order=category/);
    await cell(/^\d+ %, \d+ of 20 passed: first, sim::perfect-ish$/).waitFor();
    expect(faults()).toEqual([]);
  });

  it('a run is compared in one click and rescored without requests', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}` });
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.waitForURL(/\/compare/);
    expect(decodeURIComponent(page.url())).toMatch(new RegExp(`${earlierId}.*${runId}`));
    await page.goBack();
    await page.getByRole('link', { name: 'Compare', exact: true }).waitFor();
    await page.keyboard.press('c');
    await page.waitForURL(/\/compare/);
    await page.goBack();
    const before = await web.requests();
    await act(page, 'Rescore');
    const dialog = page.getByRole('dialog', { name: 'Rescore this run' });
    await dialog.getByLabel(/^Pass threshold/).fill('2');
    await page.keyboard.press('Control+Enter');
    await dialog
      .getByRole('alert')
      .getByText(/pass_threshold|<=1/)
      .first()
      .waitFor();
    expect(await axe()).toEqual([]);
    await dialog.getByLabel(/^Pass threshold/).fill('0.6');
    await page.keyboard.press('Control+Enter');
    const rescores = page.getByRole('region', { name: 'Rescores of the run' });
    await rescores.getByText('completed').waitFor();
    await rescores.getByText('pass threshold 0.6').waitFor();
    const row = rescores.getByRole('row').filter({ hasText: 'sim::careless-arguments' });
    await row.getByText(/^100\.0 % \(.*, n 50\)$/).waitFor();
    await row.getByRole('link', { name: 'failures' }).click();
    await page.getByText('No results match these filters.').waitFor();
    expect(await web.requests()).toBe(before);

    // The rescore is counted, too: its facets, cases and groups use its verdicts.
    await page.getByLabel('Verdict', { exact: true }).selectOption('true');
    expect(await listed(page)).toBe(CASES);
    await page
      .getByRole('group', { name: 'Category' })
      .getByRole('checkbox', { name: /^first ?20$/ })
      .waitFor();
    await page.getByRole('navigation', { name: 'Screens of the run' }).getByRole('link', { name: 'Cases' }).click();
    await page.getByRole('heading', { name: /^Cases by model .* \(rescored\)$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Cases', exact: true }).selectOption('all');
    const map = page.getByRole('grid', { name: 'Cases by model' });
    await map
      .getByRole('gridcell', { name: /^passed: case \d+, sim::careless-arguments$/ })
      .first()
      .click();
    await page.waitForURL(/\/results\/1-\d+-0\?.*rescore=/);
    await page.goto(`${web.url}/runs/${runId}`);
    await rescores.getByRole('link', { name: 'failure groups' }).click();
    await page.getByRole('heading', { name: /^Failure groups of .* \(rescored\)$/ }).waitFor();
    const groups = page.getByRole('tree', { name: 'Failures by cause' });
    await groups.getByRole('treeitem').first().waitFor();
    expect(await groups.getByText('wrong argument').count()).toBe(0);
    expect(await axe()).toEqual([]);
    await page.getByRole('region', { name: 'Drawn results' }).getByRole('link').first().click();
    await page.waitForURL(/\/results\/.*rescore=/);
    expect(faults()).toEqual([]);
  });

  it('a wrong expectation is corrected at a result, which then has the verdict of the new version', async () => {
    const path = `/api/tool-eval/history/${runId}/results?error_type=wrong_argument&model=sim::careless-arguments`;
    const [result] = (await web.client.get(path)).body.items;
    const { page, faults, axe } = await web.open({ path: `/runs/${runId}/results/${result.id}` });
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('wrong argument').first().waitFor();
    const before = await web.requests();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Correct the expectation' });
    await dialog.getByText('This is what the run was scored with.').waitFor();
    await dialog.getByRole('button', { name: 'Accept both' }).click();
    await dialog.getByText(/^Saves version 2 of the suite/).waitFor();
    expect(await axe()).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/rescore=/);
    await page.getByText('Scored with version 2 of the suite. As run: wrong argument.').waitFor();
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('passed', { exact: true }).waitFor();
    expect(await web.requests()).toBe(before);
    await page.getByRole('link', { name: 'Show as run' }).click();
    await page.getByText('Scored with version 2').waitFor({ state: 'hidden' });

    await page.goto(`${web.url}/runs/${runId}`);
    await page.getByRole('region', { name: 'Rescores of the run' }).getByText('version 2').waitFor();
    await act(page, 'Rescore');
    const version = page.getByRole('combobox', { name: 'Version of the suite' });
    await page.getByText('Current, version 2: 1 case changed').waitFor();
    await version.click();
    await page.getByRole('option', { name: /^Current, version 2/ }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('a running run is counted as far as it got when it is cancelled', async () => {
    const { eval_id: slowId } = await aRun({ models: ['sim::slow-5000'], cache: 'off', name: 'Slow' });
    const { page, faults } = await web.open({ path: `/runs/${slowId}` });
    await page.getByRole('region', { name: 'Newest results' }).getByRole('link').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('– cancelled').waitFor();
    const bar = page
      .getByRole('figure', { name: /Results by score/ })
      .getByRole('link')
      .first();
    const n = inFront(await bar.getAttribute('aria-label'));
    const settled = async () =>
      (await web.client.get(`/api/tool-eval/history/${slowId}`)).body.counts.settled as number;
    await until(async () => (await settled()) === n, { what: 'the bar to stand for all results' });
    expect(n).toBeLessThan(CASES);
    expect(faults()).toEqual([]);
  });
});
