import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { until } from '../until.js';
import { untilRunCompleted } from '../until-ended.js';
import { joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let suiteId: string;
const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil\u2066 ';

journeys('a case is tried in the page', () => {
  beforeAll(async () => {
    web = await joinWeb();
    await web.client.post('/api/providers', {
      key: 'sim',
      base_url: `${web.simulator.url}/v1`,
      models: [
        { id: 'perfect-ish', input_cost_per_mtok: 1, output_cost_per_mtok: 2 },
        { id: 'scripted:mine' },
        { id: 'slow-60000' },
      ],
    });
    suiteId = await web.client.importSuite(weatherSuite(2));
  });
  const panel = (page: Page) => page.getByRole('region', { name: 'Try it' });
  const goingOn = async (): Promise<number> =>
    (await web.sql.query('SELECT 1 FROM try_out WHERE team_id = $1', [web.teamId])).rowCount ?? 0;

  it('before it is saved, and again after an edit; faults are shown at their fields', async () => {
    await web.script('mine', {
      replies: [
        {
          tool_calls: [
            { name: 'get_weather', arguments: { city: HOSTILE.repeat(2000) } },
            { name: HOSTILE, arguments: { x: 1 } },
          ],
        },
      ],
    });
    const { page, axe, faults, isTooWide } = await web.open({ path: `/suites/${suiteId}/cases/new` });
    await page.getByLabel('Prompt', { exact: true }).fill('What is the weather in Paris?');
    await page.getByText('Not saved yet; kept in this tab.').waitFor();
    const tryIt = panel(page);
    await tryIt.getByText('Choose at least one model.').waitFor();
    await tryIt.getByLabel('perfect-ish').check();
    await tryIt.getByLabel('scripted:mine').check();
    await page.getByLabel('city', { exact: true }).fill('Paris');
    await tryIt.getByRole('button', { name: 'Try', exact: true }).click();
    await tryIt.getByText(/^1 of 2 passed\. Cost:/).waitFor();
    const good = tryIt.getByRole('article', { name: 'sim::perfect-ish' });
    expect(await good.getByText('passed', { exact: true }).isVisible()).toBe(true);
    const bad = tryIt.getByRole('article', { name: 'sim::scripted:mine' });
    await bad.getByText('unexpected').waitFor();
    await bad.getByText(/^Exchange: 1 sent/).click();
    await bad.getByRole('heading', { name: 'Reply 1' }).waitFor();
    expect(await axe()).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await isTooWide()).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });

    // After an edit and another try, none of the calls is correct.
    await page.getByLabel('Prompt', { exact: true }).fill('What is the weather in Rome?');
    await tryIt.getByText(/The case or a setting has changed since\.$/).waitFor();
    await tryIt.getByRole('button', { name: 'Try again' }).click();
    await tryIt.getByText(/^0 of 2 passed\./).waitFor();
    await good.getByRole('row', { name: /city/ }).getByText('differs').waitFor();

    // A fault is shown at its field, and the case is saved as tried once the fault is fixed.
    await page.getByRole('button', { name: 'equals: how city is compared' }).click();
    await page.getByLabel('Match', { exact: true }).selectOption('matches');
    await page.keyboard.press('Escape');
    await page.getByLabel('city', { exact: true }).fill('(');
    await tryIt.getByRole('button', { name: 'Try again' }).click();
    await page.locator('form .field-error:not(:empty)').first().waitFor();
    await tryIt.getByRole('alert').waitFor();
    await page.getByLabel('city', { exact: true }).fill('Rome');
    await page.getByLabel('Prompt', { exact: true }).press('Control+Enter');
    await page.getByRole('heading', { name: 'Case 3: What is the weather in Rome?' }).waitFor();
    // The models stay selected for the other cases of the suite.
    await panel(page).locator('summary').first().click();
    expect(await panel(page).getByRole('checkbox', { name: 'perfect-ish' }).isChecked()).toBe(true);
    expect(faults()).toEqual([]);
  });

  it('is stopped by a button, and by leaving the view; a viewer sees why nothing can be tried', async () => {
    const [{ id }] = (await web.client.get(`/api/tool-suites/${suiteId}/cases`)).body.items;
    const path = `/suites/${suiteId}/cases/${id}`;
    const { page, faults } = await web.open({ path });
    const tryIt = panel(page);
    await tryIt.getByLabel('slow-60000').check();
    for (const leave of [
      () => tryIt.getByRole('button', { name: 'Stop' }).click(),
      () => page.getByRole('link', { name: 'Weather' }).first().click(),
    ]) {
      await tryIt.getByRole('button', { name: 'Try', exact: true }).click();
      await tryIt.getByText('Asking one model ...').waitFor();
      await until(async () => (await goingOn()) === 1, { what: 'the try-out' });
      await leave();
      await until(async () => (await goingOn()) === 0, { what: 'the try-out to end' });
    }
    expect(faults()).toEqual([]);
    const viewer = await web.open({ path, role: 'viewer' });
    await panel(viewer.page).getByText('editor', { exact: false }).first().waitFor();
    expect(await panel(viewer.page).getByRole('button', { name: 'Try' }).isDisabled()).toBe(true);
    expect(viewer.faults()).toEqual([]);
  });

  it('of a conversation leads from a fault at its line to a result with goal, changes and figures', async () => {
    const key = { key: 'talks', base_url: `${web.simulator.url}/v1`, models: [{ id: 'follows-rules' }] };
    await web.client.post('/api/providers', key);
    const lights = await web.client.importSuite(LIGHTS);
    const [{ id }] = (await web.client.get(`/api/tool-suites/${lights}/cases`)).body.items;
    const { page, axe, faults } = await web.open({ path: `/suites/${lights}/cases/${id}` });
    const editor = page.getByRole('textbox', { name: 'Conversation as JSON' });
    const type = async (conversation: object) => {
      await editor.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(JSON.stringify(conversation, null, 2));
      await page.getByRole('button', { name: 'Save the case' }).click();
    };
    await type({ goal: { state: { '/lamps/L-9/status': 'off' } } });
    await page.getByText('leads nowhere: the state has no "/lamps/L-9"').first().waitFor();
    expect(await editor.locator('.cm-lintRange-error').innerText()).toBe('"/lamps/L-9/status"');
    expect(await axe()).toEqual([]);
    await type({ goal: { ...GOAL, answer: [{ contains: 'L-1' }] } });
    await page
      .getByText(/^Saved/)
      .first()
      .waitFor();

    const { body: run } = await web.client.post('/api/tool-eval', {
      suite_id: lights,
      models: ['talks::follows-rules'],
    });
    await untilRunCompleted(web.client, run.eval_id);
    await page.goto(`${web.url}/runs/${run.eval_id}`);
    const figures = page.getByRole('region', { name: 'Figures of conversations by model' });
    await figures.getByText('100.0 %').first().waitFor();
    await page.goto(`${web.url}/runs/${run.eval_id}/results/0-0-0`);
    await page.getByText('/lamps/L-1/status is "off"').waitFor();
    await page.getByText('contains "L-1"').waitFor();
    await page
      .getByRole('list', { name: 'Changes of the state' })
      .getByText('/lamps/L-1/status: "on" → "off"')
      .waitFor();
    await page.getByText('Conversation: 2 rounds').waitFor();
    expect(await axe()).toEqual([]);
    expect(faults()).toEqual([]);
  });
});

const GOAL = {
  calls: [{ tool: 'switch_lamp', params: { lamp: 'L-1' } }],
  state: { '/lamps/L-1/status': 'off' },
};
const LIGHTS = {
  name: 'Lights',
  tools: [
    {
      type: 'function',
      function: {
        name: 'switch_lamp',
        description: 'Switch a lamp off',
        parameters: { type: 'object', properties: { lamp: { type: 'string' } }, required: ['lamp'] },
      },
    },
  ],
  conversation: {
    state: { lamps: { 'L-1': { status: 'on' } } },
    tools: {
      switch_lamp: [
        {
          when: { state: { '/lamps/{lamp}/status': 'on' } },
          effects: [{ op: 'replace', path: '/lamps/{lamp}/status', value: 'off' }],
          respond: { status: 'off' },
        },
        { error: '{lamp} is not on.' },
      ],
    },
  },
  test_cases: [{ prompt: 'Please switch off lamp L-1.', conversation: { goal: GOAL } }],
};
