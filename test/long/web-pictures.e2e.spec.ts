import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { fillTeam } from '../web-screens.js';
import { joinWeb, journeys, tabTo, type Tab, type TeamWeb } from '../web.js';

const LAPTOP = { width: 1440, height: 900 };
/** A laptop's at 200 %. */
const ZOOMED = { width: 720, height: 450 };
const PHONE = { width: 390, height: 844 };
const NIGHTS = 30;
const LONG = 'instruct-distilled-quantized-long-context-tool-calling-preview-'.repeat(3).slice(0, 180);
/** Models that tie, that differ, that err, that have long names, and names from right to left. */
const MODELS = [
  { id: 'perfect-ish', name: 'perfect' },
  { id: `perfect-ish:${LONG}`, name: LONG },
  { id: 'careless-arguments:pictures', name: 'דגם שפה גדול 70B' },
  { id: 'wrong-tool', name: 'wrong-tool' },
  { id: 'text-only', name: 'text-only' },
  { id: 'bad-request', name: 'bad-request' },
];

let web: TeamWeb;
let screens: [name: string, path: string][];

journeys('pictures', () => {
  beforeAll(async () => {
    web = await joinWeb();
    screens = await fill(web);
  }, 120_000);

  it('can be read in every window, are walked by keys, heard by name, and have their numbers as a table', async () => {
    const found: Record<string, string[]> = {};
    const left = [...screens];
    const walk = async (): Promise<void> => {
      const tab = await web.open(LAPTOP);
      for (let screen = left.shift(); screen; screen = left.shift()) {
        const [name, path] = screen;
        const before = tab.faults().length;
        const faults = await faultsOfScreen(tab, path);
        faults.push(...tab.faults().slice(before));
        if (faults.length > 0) found[name] = faults;
      }
    };
    await Promise.all([walk(), walk()]);
    expect(found).toEqual({});
  });
});

async function faultsOfScreen(tab: Tab, path: string): Promise<string[]> {
  const { page } = tab;
  await page.goto(`${web.url}${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const faults = [...(await faultsOfMarks(page)), ...(await tab.axe())];
  for (const window of [LAPTOP, ZOOMED, PHONE]) {
    await page.setViewportSize(window);
    // Elements that depend on the window's size are rendered again.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    const shown = await page.evaluate<string[]>(FAULTS_OF_TEXTS);
    if (await tab.isTooWide()) shown.push('wider than the window');
    faults.push(...shown.map((fault) => `${fault}, at ${window.width} px`));
  }
  await page.setViewportSize(LAPTOP);
  return faults;
}

/** A run of six models, its repetition, and a run of every night, besides what every screen needs. */
async function fill(web: TeamWeb): Promise<[name: string, path: string][]> {
  const { client, simulator } = web;
  const filling = fillTeam(web);
  const models = MODELS.map((model, n) => ({ ...model, input_cost_per_mtok: 3 * 2 ** -n, output_cost_per_mtok: 4 }));
  await client.post('/api/providers', { key: 'six', base_url: `${simulator.url}/v1`, models });
  const suite = weatherSuite(12);
  const suiteId = await client.importSuite({
    ...suite,
    name: 'Pictures',
    test_cases: suite.test_cases.map((one, n) => ({ ...one, category: `category ${n % 3}` })),
  });
  const experiment = (await client.post('/api/experiments', { name: 'Nights', suite_id: suiteId })).body;
  const submit = async (names: readonly string[], input: object = {}): Promise<string> => {
    const asked = { suite_id: suiteId, models: names.map((id) => `six::${id}`), model_order: 'parallel', ...input };
    return (await client.post('/api/tool-eval', asked)).body.eval_id;
  };
  const all = MODELS.map(({ id }) => id);
  const [first, second] = [await submit(all), await submit(all, { temperature: 0.5 })];
  const nights = [];
  for (let night = 0; night < NIGHTS; night++)
    nights.push(await submit(all.slice(1, 3), { name: `Night ${night}`, experiment_id: experiment.id }));
  for (const id of [first, second, ...nights]) await untilRunCompleted(client, id);
  const filled = await filling;
  const wrong = new URLSearchParams({ model: 'six::wrong-tool', limit: '1' });
  const { body } = await client.get(`/api/tool-eval/history/${first}/results?${wrong}`);
  return [
    ['run', `/runs/${first}`],
    ['matrix', `/runs/${first}/matrix`],
    ['failures', `/runs/${first}/failures`],
    ['result', `/runs/${first}/results/${body.items[0].id}`],
    ['compare', `/compare?${new URLSearchParams({ runs: JSON.stringify([first, second]) })}`],
    ['experiment', `/experiments/${experiment.id}`],
    ['suite', `/suites/${suiteId}`],
    ['tune', `/tunes/${filled.tuneId}`],
    ['gate run', `/gates/${filled.gateId}/runs/${filled.gateRunId}`],
    ['calibration', '/judge/calibration'],
    ['case', `/suites/${filled.suiteId}/cases/${filled.caseId}`],
  ];
}

/** Finds texts of pictures that are too small, or overlap. */
const FAULTS_OF_TEXTS = `(() => {
  const shown = [...document.querySelectorAll('main svg text')]
    // Heads of columns stay for screen readers where a phone shows no columns.
    .filter((text) => text.checkVisibility() && text.ownerSVGElement.getBoundingClientRect().width > 20)
    .map((text) => ({
      svg: text.ownerSVGElement,
      words: text.textContent,
      box: text.getBoundingClientRect(),
      px: parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a,
    }));
  const apart = (a, b) =>
    a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
  return shown.flatMap(({ svg, words, box, px }, n) => [
    ...(px < 10.95 ? ['"' + words + '" has ' + px.toFixed(1) + ' px'] : []),
    ...shown
      .slice(n + 1)
      .filter((other) => other.svg === svg && !apart(box, other.box))
      .map((other) => '"' + words + '" overlaps "' + other.words + '"'),
  ]);
})()`;
const FOCUSED = `document.activeElement.getAttribute('aria-label')`;

/** Of each picture whose marks can be walked. */
async function faultsOfMarks(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const picture of await page.locator('main figure[aria-label]').all()) {
    const faults = [...(await faultsOfWalk(picture)), ...(await faultsOfGrid(picture))];
    const label = await picture.getAttribute('aria-label');
    found.push(...faults.map((fault) => `${label}: ${fault}`));
  }
  return found;
}

const MARKS = '[tabindex][role=link], [tabindex][role=img]';

/** A picture of several plots has one stop for each. */
async function faultsOfWalk(picture: Locator): Promise<string[]> {
  const svgs = await picture
    .locator('svg')
    .filter({ has: picture.page().locator(MARKS) })
    .all();
  const plots = svgs.length > 1 ? svgs : [picture];
  const found: string[] = [];
  let marks = 0;
  for (const plot of plots) {
    const names = await plot
      .locator(MARKS)
      .evaluateAll((all) => all.map((mark) => mark.getAttribute('aria-label') ?? ''));
    if (names.length > 0) found.push(...(await faultsOfPlot(plot, names)));
    marks += names.length;
  }
  const numbers = picture.getByText('The numbers', { exact: true });
  if (marks === 0 || (await numbers.count()) === 0) return found;
  await numbers.click();
  // One row for each mark, or for each row of them.
  const table = picture.getByRole('table');
  await table.locator('tbody tr').first().waitFor();
  const [rows, cells] = [await table.locator('tbody tr').count(), await table.locator('tbody tr > *').count()];
  if (rows !== marks && cells < marks) found.push(`${marks} marks, ${rows} rows of numbers`);
  return found;
}

async function faultsOfPlot(plot: Locator, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  if (names.some((name) => name.trim() === '')) found.push('a mark has no name');
  const stops = plot.locator('[tabindex="0"][role=link], [tabindex="0"][role=img]');
  if ((await stops.count()) !== 1) found.push(`${await stops.count()} stops for Tab`);
  await tabTo(stops.first());
  const ways = [
    ['End', names.at(-1)],
    ['Home', names[0]],
  ] as const;
  for (const [key, name] of ways) {
    await plot.page().keyboard.press(key);
    const focused = await plot.page().evaluate(FOCUSED);
    if (focused !== name) found.push(`${key} leads to ${String(focused)}, not to ${name}`);
  }
  return found;
}

/** Of a grid, whose cells are walked while the focus stays on it. */
async function faultsOfGrid(picture: Locator): Promise<string[]> {
  const grid = picture.getByRole('grid');
  if ((await grid.count()) === 0) return [];
  const found: string[] = [];
  await tabTo(grid);
  for (const key of ['ArrowDown', 'ArrowRight', 'End', 'Home']) {
    await grid.press(key);
    const active = await grid.getAttribute('aria-activedescendant');
    const words = active && (await picture.locator(`[id="${active}"]`).innerText());
    const name = active && (await picture.locator(`[id="${active}"]`).getAttribute('aria-label'));
    if (!words && !name) found.push(`${key} leads to nothing that has a name`);
  }
  return found;
}
