import { differenceWords } from '#lib/contracts/difference-words';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { fillRun, HOSTILE, type FilledRun } from '../web-screens.js';
import { joinWeb, journeys, tabTo, type TeamWeb } from '../web.js';

let web: TeamWeb;
let filled: FilledRun;

journeys('the results of a run', () => {
  beforeAll(async () => {
    web = await joinWeb();
    filled = await fillRun(web);
  });

  it('are listed failures first, and every filter is in the address', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${filled.runId}/results` });
    const rows = page.getByRole('grid', { name: 'Results' }).getByRole('row');
    // What a model did wrong comes before what its provider did, and says how.
    const { body: listed } = await web.client.get(
      `/api/tool-eval/history/${filled.runId}/results?order=failures&passed=false&lean=true`,
    );
    await rows.nth(1).getByText(differenceWords(listed.items[0].difference)).waitFor();
    await rows.filter({ hasText: 'bad request' }).first().getByText('errored').waitFor();
    expect(page.url()).not.toContain('order=');
    await page.getByRole('checkbox', { name: /perfect-ish/ }).check();
    await page.getByRole('button', { name: 'Remove the filter model: sim::perfect-ish' }).waitFor();
    await rows.nth(1).getByText('passed').waitFor();
    expect(decodeURIComponent(page.url())).toContain('sim::perfect-ish');
    const { page: second } = await web.open({ path: page.url().slice(web.url.length) });
    await second.getByRole('button', { name: 'Remove the filter model: sim::perfect-ish' }).waitFor();
    await page.getByLabel('Order').selectOption('case');
    await page.getByLabel('Verdict').selectOption('failures only');
    await page.getByRole('button', { name: 'Remove the filter not passed' }).waitFor();
    await page.getByText('No results match these filters.').waitFor();
    await page.getByRole('link', { name: 'Remove the filters' }).click();
    await rows.nth(1).waitFor();
    expect(await axe()).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it('are read by keyboard alone: to a result, from failure to failure, and back to the same row', async () => {
    const { page, faults } = await web.open({ path: `/runs/${filled.runId}/results?model=sim::scripted:odd` });
    const grid = page.getByRole('grid', { name: 'Results' });
    await grid.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByRole('heading', { name: 'Expected and called' }).waitFor();
    await result.getByText('2 of 6', { exact: true }).waitFor();
    const first = page.url();
    await result.getByRole('button', { name: 'Next failure', disabled: false }).waitFor();
    await page.keyboard.press('n');
    await page.waitForURL((url) => url.href !== first);
    await result.getByRole('button', { name: 'Previous failure', disabled: false }).waitFor();
    await page.keyboard.press('p');
    await page.waitForURL(first);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !/results\/./.test(url.pathname));
    await page.locator('[role=grid]:focus').waitFor();
    expect(await page.locator('[role=row][data-active]').getAttribute('aria-rowindex')).toBe('3');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Remove the filter not passed' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('can be left while the next one is on its way', async () => {
    const { page, faults } = await web.open({ path: `/runs/${filled.runId}/results/${filled.resultId}` });
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await page.route('**/api/tool-eval/history/*/results/*', () => {});
    await result.getByRole('button', { name: 'Next failure', disabled: false }).click();
    await result.getByText('Loading').first().waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !/results\/./.test(url.pathname));
    expect(faults()).toEqual([]);
  });

  it('show why: pairs, explanation, the exchange, and other verdicts on the case', async () => {
    const { page, faults, axe } = await web.open({ path: `/runs/${filled.runId}/results/${filled.resultId}` });
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByRole('heading', { name: 'Why' }).waitFor();
    await result.getByText('differs').first().waitFor();
    const said = result.getByRole('region', { name: 'Model reply' });
    await said.getByText('Finish reason: tool_calls').waitFor();
    expect(await said.getByText('Sunny.', { exact: true }).count()).toBe(1);
    await said.getByText('Thoughts (6 characters)').click();
    await said.getByText('Sunny.', { exact: true }).nth(1).waitFor();
    await result.getByText(/Exchange: 1 sent, 1 received/).click();
    await result.getByRole('heading', { name: 'Reply 1' }).waitFor();
    const { body: metrics } = await web.client.get('/api/metrics');
    const { meaning } = metrics.items.find(({ id }: { id: string }) => id === 'ragas_tool_call_f1');
    await result.getByText('Metrics (1)').click();
    await result.getByRole('heading', { name: /^f1: [01]\.\d{3}$/ }).waitFor();
    await result.getByText(meaning).waitFor();
    await result.getByText('Cost, latency and tokens').click();
    await result.getByText('Latency', { exact: true }).waitFor();
    const picture = result.getByRole('figure', { name: 'Verdicts by model and run' });
    await picture.getByText('The numbers').click();
    await picture.getByRole('row', { name: /roken errored/ }).waitFor();
    expect(await axe()).toEqual([]);
    // Its arrow keys lead from this model to the next one, and Enter opens what that one did.
    await tabTo(picture.getByRole('link', { name: /odd, .*: failed$/ }));
    await page.keyboard.press('ArrowDown');
    await picture
      .locator('[role=link]:focus')
      .and(page.getByRole('link', { name: /careless-arguments, / }))
      .waitFor();
    await picture.getByRole('link', { name: /perfect-ish, .*: passed$/ }).press('Enter');
    await result.getByText('passed', { exact: true }).first().waitFor();
    expect(faults()).toEqual([]);
  });

  it('are in sight without scrolling, and labelled, noted and made a case of by one key each', async () => {
    const path = `/runs/${filled.runId}/results/${filled.resultId}`;
    const { page, faults, axe } = await web.open({ path, width: 1440, height: 900 });
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByRole('figure', { name: 'Verdicts by model and run' }).waitFor();
    const { body: stored } = await web.client.get(`/api/tool-eval/history/${filled.runId}/results/${filled.resultId}`);
    for (const shown of [
      result.getByRole('heading', { name: stored.case_name }),
      result.getByText(stored.explanation[0]),
      result.getByText(stored.prompt, { exact: true }),
      result.getByRole('region', { name: 'Arguments', exact: true }),
      result.getByText('Finish reason: tool_calls'),
      result.getByText(/^Thoughts/),
    ]) {
      const { y, height } = (await shown.first().boundingBox())!;
      expect(y + height).toBeLessThanOrEqual(900);
    }
    await result.getByRole('button', { name: /^wrong/, disabled: false }).waitFor();
    await page.keyboard.press('a');
    await result.getByRole('button', { name: /^acceptable/, pressed: true }).waitFor();
    await page.keyboard.press('m');
    // Keys are letters while typing.
    await page.keyboard.type('case of me');
    await page.keyboard.press('Control+Enter');
    await result.getByText('case of me', { exact: true }).waitFor();
    await page.getByRole('row', { selected: true }).getByRole('img', { name: 'noted' }).waitFor();
    expect(await axe()).toEqual([]);
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Correct the expectation' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.waitForURL(/\/cases\/new/);
    const name = page.getByLabel('Name', { exact: true });
    const isNamed = async (): Promise<boolean> => (await name.inputValue()) === `${stored.case_name} (from Weather)`;
    await until(isNamed, { what: 'the form to have the case of the result' });
    await page.getByRole('button', { name: 'Add the case' }).click();
    await page.waitForURL(`**${path}`);
    const { body: cases } = await web.client.get(`/api/tool-suites/${filled.suiteId}/cases?limit=200`);
    const { name: _name, id: madeId, position: _position, ...made } = cases.items.at(-1);
    await web.client.delete(`/api/tool-suites/${filled.suiteId}/cases/${madeId}`);
    expect(made).toMatchObject({ prompt: stored.prompt, expected_tool: stored.called[0].name });
    expect(made.expected_params).toEqual(stored.called[0].arguments);
    await page.goto(`${web.url}/runs/${filled.runId}/results?noted=true`);
    await page.getByText('1 result.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter with a note' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('fit a window of 360 pixels, where a result replaces the list', async () => {
    const { page, faults, isTooWide } = await web.open({
      path: `/runs/${filled.runId}/results`,
      width: 360,
      height: 640,
    });
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    await page.getByRole('grid').waitFor({ state: 'hidden' });
    expect(await isTooWide()).toBe(false);
    await page.getByRole('link', { name: 'Back to the list' }).click();
    // Four models, six cases, and the header: the last row is where keys continue.
    await page.locator('[role=row][data-active][aria-rowindex="25"]').waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Verdict').waitFor();
    expect(await isTooWide()).toBe(false);
    expect(faults()).toEqual([]);
  });

  it('are loaded while scrolling through a long list, and earlier ones come back', async () => {
    const { body: run } = await web.client.post('/api/tool-eval', {
      suite_id: filled.suiteId,
      models: ['sim::careless-arguments'],
      samples: 100,
    });
    await untilRunCompleted(web.client, run.eval_id);
    const { page, faults } = await web.open({ path: `/runs/${run.eval_id}/results` });
    const grid = page.getByRole('grid', { name: 'Results' });
    await grid.focus();
    const counted = page.getByText(/^[\d,]+ results/);
    await until(
      async () => {
        await page.keyboard.press('End');
        return (await counted.textContent()) === '600 results.';
      },
      { what: 'the whole list to be read' },
    );
    await page.keyboard.press('End');
    await page.locator('[role=row][data-active][aria-rowindex="601"]').getByText('get_weather').first().waitFor();
    expect(await grid.getByRole('row').count()).toBeLessThan(100);
    await page.keyboard.press('Home');
    await page
      .locator('[role=row][data-active][aria-rowindex="2"]')
      .getByText(/, not "/)
      .first()
      .waitFor();
    expect(faults()).toEqual([]);
  });

  it('are reported when they do not exist', async () => {
    const { page } = await web.open({ path: `/runs/${filled.runId}/results/9-9-9` });
    await page.getByRole('alert').getByText(/9-9-9/).waitFor();
  });
});

journeys('results that a hostile model wrote', () => {
  it('are shown as text, complete and expanded', async () => {
    web = await joinWeb();
    filled = await fillRun(web, HOSTILE);
    const { page, faults, axe, isTooWide } = await web.open({
      path: `/runs/${filled.runId}/results/${filled.resultId}`,
      width: 360,
    });
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    // Content still loading above moves it, and a click that begins and ends on different elements does not count.
    await page.getByText(/^Exchange:/).press('Enter');
    await page.getByRole('heading', { name: 'Reply 1' }).waitFor();
    expect(await isTooWide()).toBe(false);
    expect(await page.locator('iframe, img, main script').count()).toBe(0);
    expect(await page.title()).toMatch(/^Results of </);
    expect(await axe()).toEqual([]);
    expect(faults()).toEqual([]);
  });
});
