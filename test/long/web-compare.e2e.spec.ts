import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { HOSTILE } from '../web-screens.js';
import { joinWeb, journeys, tabTo, type TeamWeb } from '../web.js';

let web: TeamWeb;
let suiteId: string;
/** Runs of one suite: the baseline, a better one, and one with two models. */
let runs: { base: string; better: string; two: string; later: string; few: string };

const CASES = 60;
const MODEL = 'sim::prompt-sensitive:it';
const HELP = 'Name the city in English.';

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const link = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole('link', { name });
const verdict = (page: Page, word: string): Locator => page.locator('.status', { hasText: word }).first();
const get = async (path: string) => (await web.client.get(path)).body;

async function aRun(input: object): Promise<string> {
  const { body } = await web.client.post('/api/tool-eval', { suite_id: suiteId, models: [MODEL], ...input });
  return body.eval_id;
}

/** What is claimed of a comparison; what its data could have shown is a note. */
const claimOf = (text: string): string => text.split(/ (?=With \d|That interval|About \d)/)[0]!;

/** The sentence that another browser shows for the address of the view. */
const sentence = (page: Page): Promise<string> => page.locator('.sentence').first().innerText();

journeys('comparisons', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const models = ['prompt-sensitive:it', 'perfect-ish', 'scripted:hostile'].map((id) => ({ id }));
    const limits = { max_concurrency: 20 };
    await web.client.post('/api/providers', { key: 'sim', base_url: `${web.simulator.url}/v1`, limits, models });
    await fetch(`${web.simulator.url}/control/prompt-sensitive/it`, {
      method: 'POST',
      body: JSON.stringify({ base: 0.5, rules: [{ phrase: 'Name the city in English', where: 'system', gain: 0.4 }] }),
    });
    const suite = weatherSuite(CASES);
    const test_cases = suite.test_cases.map((one, n) => ({ ...one, category: n % 3 ? 'plain' : HOSTILE.name }));
    suiteId = await web.client.importSuite({ ...suite, test_cases });
    const [base, better, two] = [
      await aRun({ name: 'As it is' }),
      await aRun({ name: 'With help', system_prompt: HELP }),
      await aRun({ name: 'Two models', models: [MODEL, 'sim::perfect-ish'] }),
    ];
    for (const run of [base, better, two]) await untilRunCompleted(web.client, run);
    await web.client.post(`/api/tool-suites/${suiteId}/cases`, { prompt: 'Paris?', expected_tool: 'get_weather' });
    const later = await aRun({ name: 'Later', system_prompt: HELP });
    const few = await web.client.post('/api/tool-eval/import', { ...weatherSuite(3), name: 'Few' });
    const fewId = await aRun({ suite_id: few.body.suite_id, name: 'Few cases', models: ['sim::perfect-ish'] });
    for (const run of [later, fewId]) await untilRunCompleted(web.client, run);
    runs = { base, better, two, later, few: fewId };
  });

  it('offer the runs of one suite first, and show whether a run is better and on which cases', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/compare' });
    await page.getByRole('heading', { level: 1, name: 'Compare runs' }).waitFor();
    await page.getByRole('heading', { name: 'Choose the baseline' }).waitFor();
    await button(page, 'Compare As it is').click();
    await page.getByRole('heading', { name: 'Choose a run to compare' }).waitFor();
    await button(page, 'Compare With help').waitFor();
    await button(page, 'Compare Few cases').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Runs of all suites' }).check();
    await button(page, 'Compare Few cases').waitFor();
    await tabTo(button(page, 'Compare With help'));
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'With help against As it is' }).waitFor();
    const { all, outcomes } = await get(`/api/compare?a=${runs.base}&b=${runs.better}`);
    await page.locator('.sentence').getByText(claimOf(all.text)).waitFor();
    await verdict(page, 'improved').waitFor();
    await page
      .getByRole('region', { name: 'B against A', exact: true })
      .getByText(/^95 %: /)
      .waitFor();
    // The answer comes before the runs and settings that it is about.
    const topOf = async (of: Locator): Promise<number> => (await of.boundingBox())!.y;
    expect(await topOf(page.locator('.sentence').first())).toBeLessThan(await topOf(button(page, 'Swap')));
    const trade = page.getByRole('region', { name: 'Latency against score' });
    const model = trade.getByRole('link', { name: /^A prompt-sensitive:it: / });
    await model.focus();
    await page.keyboard.press('End');
    await page.locator(':focus[aria-label^="B "], :focus[aria-label^="A "]').waitFor();
    await link(trade, 'Cost').click();
    await page.waitForURL(/against=cost/);
    await page.getByText(/^No price: 1 model/).waitFor();
    await link(page.getByRole('region', { name: 'Cost against score' }), 'p95 latency').click();
    await page.waitForURL(/against=latency/);
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('The numbers').click();
    await page.getByRole('region', { name: 'Differences in numbers' }).getByText('Mean in B').waitFor();
    const byCategory = page.getByText(/^By category: /);
    const isOpen = async () => page.getByRole('figure', { name: /^By category/ }).isVisible();
    expect(await isOpen()).toBe(!(await byCategory.innerText()).includes('none of 2'));
    if (!(await isOpen())) await byCategory.click();
    await page.getByRole('figure', { name: /^By category/ }).waitFor();
    await page.getByText(/Smallest detectable difference: .* points, with 80 % power/).waitFor();

    const counts = page.getByRole('navigation', { name: 'Cases by outcome' });
    await link(counts, `fixed ${outcomes.fixed}`).click();
    await page.waitForURL(/outcome=fixed/);
    const fixed = page.getByRole('article').first();
    await fixed.getByText('fixed').waitFor();
    await fixed.getByText(/1 of 1 passed/).waitFor();
    // What the sides have in common is dimmed; what one of them alone has is marked.
    await fixed.locator('mark').first().waitFor();
    await link(counts, `all ${CASES}`).click();
    await link(page, 'More cases').waitFor();
    expect(await page.getByRole('article').count()).toBe(20);
    await page.getByRole('region', { name: 'Settings that differ' }).getByText('/system_prompt').waitFor();
    expect(await axe()).toEqual([]);
    const shown = await sentence(page);
    const again = await web.open({ path: new URL(page.url()).pathname + new URL(page.url()).search, width: 360 });
    await again.page.getByRole('article').first().waitFor();
    expect([await sentence(again.page), await again.isTooWide()]).toEqual([shown, false]);
    expect(await again.axe()).toEqual([]);

    await link(page, 'More cases').click();
    await page.waitForURL(/after=/);
    await link(page, 'First').click();
    await link(page.getByRole('article').first(), 'Open the result in B').click();
    await page.waitForURL(new RegExp(`/runs/${runs.better}/results/`));
    expect([...faults(), ...again.faults(), await isTooWide()]).toEqual([false]);
  });

  it('exchange their baseline, measure and margin, and keep them in the address', async () => {
    const { page, faults } = await web.open({ path: `/compare?runs=${runs.base},${runs.better}` });
    await button(page, 'Swap').click();
    await verdict(page, 'regressed').waitFor();
    await button(page, 'overall').click();
    await page.getByRole('menuitem', { name: /^passed/ }).click();
    await page.waitForURL(/measure=passed/);
    const margin = page.getByLabel('Margin', { exact: true });
    await margin.fill('7');
    await page.getByText('Enter a share from 0 to 1').waitFor();
    await margin.fill('0.9');
    await margin.press('Enter');
    await page.waitForURL(/margin=/);
    await verdict(page, 'regressed, small').waitFor();
    await page.reload();
    expect(await margin.inputValue()).toBe('0.9');
    await button(page, 'passed').waitFor();
    const groups = page.getByRole('figure', { name: /^By category/ });
    await page.getByText(/^By category: /).waitFor();
    if (!(await groups.isVisible())) await page.getByText(/^By category: /).click();
    await link(page.getByRole('figure', { name: /^By category/ }), 'plain').click();
    await page.getByText('Only the category').waitFor();
    await page.goBack();
    await page.getByText('Only the category').waitFor({ state: 'detached' });
    expect(faults()).toEqual([]);
  });

  it('accept several runs, each against the first, with the models of one of them at a time', async () => {
    const path = `/compare?runs=${[runs.base, runs.better, runs.two].join(',')}`;
    const { page, faults, axe } = await web.open({ path });
    const several = page.getByRole('region', { name: 'Each run against A' });
    await several.getByText('B is shown').waitFor();
    await link(several, 'Show C').click();
    await page.getByRole('heading', { name: 'C against A, the baseline' }).waitFor();
    await page.getByText('1 model is not compared, because only one run has it').waitFor();
    await page
      .getByRole('region', { name: 'Cost against score' })
      .or(page.getByRole('region', { name: 'Latency against score' }))
      .getByRole('link', { name: /^C / })
      .first()
      .waitFor();
    expect(await axe()).toEqual([]);
    await button(page, 'Make C the baseline').click();
    await page.getByRole('heading', { name: 'B against A, the baseline' }).waitFor();
    await button(page, 'Remove B').click();
    await button(page, 'Remove B').click();
    await page.waitForURL((url) => !url.search.includes(runs.better));

    // Two models of one run are compared like two runs.
    await page.getByLabel('Model to compare').selectOption('sim::perfect-ish');
    await link(page, 'Compare models').click();
    const { all } = await get(`/api/compare?a=${runs.two}&b=${runs.two}&pairs=${MODEL}~sim::perfect-ish`);
    await page.locator('.sentence').getByText(claimOf(all.text)).waitFor();
    await page.getByRole('article').first().waitFor();
    expect(faults()).toEqual([]);
  });

  it('say when the runs share too few cases, and how the suite changed in between', async () => {
    const { page, faults, axe } = await web.open({ path: `/compare?runs=${runs.few},${runs.base}`, role: 'viewer' });
    await verdict(page, 'not comparable').waitFor();
    await page
      .locator('.sentence')
      .getByText(/3 cases/)
      .waitFor();
    await page.getByText('The runs are of different suites.').waitFor();
    expect(await axe()).toEqual([]);
    await page.goto(`${web.url}/compare?runs=${runs.better},${runs.later}`);
    await page.getByText('Cases: 1 added. Tools: none changed.').waitFor();
    await page.getByText('60 cases in common, 1 only in B', { exact: true }).waitFor();
    await link(page, 'All changes between these versions').click();
    await page.getByRole('heading', { name: 'Changes from version 1 to 2' }).waitFor();
    await page.goto(`${web.url}/compare?runs=${runs.base},019aa8a2-5c1e-7000-8000-000000000011`);
    await page.getByRole('alert').first().waitFor();
    await button(page, 'Remove B').click();
    await page.getByRole('heading', { name: 'Choose a run to compare' }).waitFor();
    expect(faults()).toEqual([]);
  });
});
