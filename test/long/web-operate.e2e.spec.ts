// A private system: it stops its only worker, and the page counts live workers.
import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { journeys, startWeb, tabTo, type WebSystem } from '../web.js';

let web: WebSystem;
let suiteId: string;

const SECRET = 'sk-very-secret-1234';
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });
const lanes = (page: Page): Locator => page.getByRole('region', { name: 'List of lanes' });
const jobs = (page: Page): Locator => page.getByRole('region', { name: 'List of jobs' });
const get = async (path: string) => (await web.client.get(path)).body;

async function startRun(model: string, cases = 6): Promise<{ runId: string; jobId: string }> {
  if (cases !== 6) ({ suite_id: suiteId } = (await web.client.post('/api/tool-eval/import', weatherSuite(cases))).body);
  const { body } = await web.client.post('/api/tool-eval', { suite_id: suiteId, models: [model], cache: 'off' });
  return { runId: body.eval_id, jobId: body.job_id };
}

const isRefused = async (control: Locator, needed: string): Promise<void> => {
  await control.waitFor();
  expect(await control.isDisabled()).toBe(true);
  expect(await control.getAttribute('title')).toContain(needed);
};

journeys('operating', () => {
  beforeAll(async () => {
    web = await startWeb();
    suiteId = await web.client.importSuite(weatherSuite(6));
  });

  it('a provider is added from a template, by keyboard alone, and its faults are shown at their fields', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/operate/providers', width: 360 });
    const { keyboard } = page;
    await page.getByText('No providers yet.').waitFor();
    await tabTo(page.getByRole('link', { name: 'New provider' }).first());
    await keyboard.press('Enter');
    await heading(page, 'New provider').waitFor();
    const host = page.getByLabel('Host', { exact: true });
    await host.getByRole('option', { name: 'OpenAI', exact: true }).waitFor({ state: 'attached' });
    await tabTo(host);
    await keyboard.type('OpenAI');
    await page.getByText('Reasoning models refuse temperature in both kinds.').waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe('https://api.openai.com/v1');
    const retype = async (label: string, text: string): Promise<void> => {
      await tabTo(page.getByLabel(label, { exact: true }));
      await keyboard.press('Control+A');
      await keyboard.type(text);
    };
    await retype('Key', 'sim');
    await retype('Name', 'Simulator');
    await tabTo(page.getByLabel('Request format'));
    await keyboard.press('Home');
    await retype('Address', 'ftp://nowhere');
    await retype('API key', SECRET);
    await retype('Concurrent requests', '6');
    await tabTo(button(page, 'Add a model'));
    await keyboard.press('Enter');
    await page.getByLabel('Id at the provider').focus();
    await keyboard.type('slow-300');
    await retype('USD per million input tokens', '1.50');
    await keyboard.press('Control+Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await page
      .locator('.field-error')
      .getByText(/must be an http or https URL/)
      .waitFor();
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);
    // The key is not in the browser's storage, unlike the rest of the draft.
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toContain('nowhere');
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain(SECRET);
    await page.getByLabel('Address').fill(`${web.simulator.url}/v1`);
    await keyboard.press('Control+Enter');
    await heading(page, 'Simulator').waitFor();
    await page.getByText('Set, ends in 1234.').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(await get('/api/providers/sim')).toMatchObject({
      kind: 'openai',
      api_key_last4: '1234',
      limits: { max_concurrency: 6, requests_per_minute: null },
      models: [{ id: 'slow-300', input_cost_per_mtok: 1.5, output_cost_per_mtok: null }],
    });
    expect(faults()).toEqual([]);
  });

  it('the id of a model of a common host brings known prices, which can be changed', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/operate/providers/new' });
    await button(page, 'Add a model').click();
    await page.getByLabel('Id at the provider').fill('gpt-5-mini');
    await page.getByLabel('Address').fill('https://api.openai.com/v1');
    await button(page, 'More of gpt-5-mini').click();
    await page
      .getByText(/^In the table of known prices of 20.+: \$0\.25 in, \$2 out, \$0\.025 from the cache\./)
      .waitFor();
    await button(page, 'Use these prices').click();
    await page.getByText(/^These prices are from the table of known prices of 20/).waitFor();
    await page.getByLabel('Id at the provider').fill('gpt-5');
    expect(await page.getByLabel('USD per million input tokens').inputValue()).toBe('1.25');
    await page.getByLabel('Cache reads').fill('0.5');
    await page.getByLabel('Id at the provider').fill('gpt-5-mini');
    expect(await page.getByLabel('USD per million input tokens').inputValue()).toBe('1.25');
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);
    await button(page, 'Discard changes').click();
    expect(faults()).toEqual([]);
  });

  it('a provider is tested, and the models that its endpoint lists are added and priced', async () => {
    const { page, faults, axe } = await web.open({ path: '/operate/providers/sim' });
    await button(page, 'Test').click();
    await page.getByText('● answers', { exact: true }).waitFor();
    await button(page, 'Discover models').click();
    await page.getByLabel('Filter found models').fill('perfect');
    await page.getByRole('checkbox', { name: 'perfect-ish' }).check();
    await page.getByLabel('Filter found models').fill('wrong-key');
    await page.getByRole('checkbox', { name: 'wrong-key' }).check();
    await button(page, 'Add 2 models').click();
    const row = (id: string): Locator => page.getByRole('row', { name: `Model ${id}` });
    await row('perfect-ish').getByLabel('USD per million input tokens').fill('1');
    await page.getByText('Paste prices').click();
    await page.getByLabel(/^A line for each model/).fill('perfect-ish\t0.30\t4.0\nModel\tInput');
    await button(page, 'Set prices').click();
    await page.getByText('1 changed, 0 added. Not understood: 1, left below.').waitFor();
    await button(page, 'Remove slow-300').click();
    await row('slow-300').waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await row('slow-300').waitFor();
    await button(page, 'More of perfect-ish').click();
    await page.getByLabel('Unsupported parameters').fill('temperature\ntop_p');
    await button(page, 'Less of perfect-ish').click();
    expect(await row('perfect-ish').getByLabel('USD per million input tokens').inputValue()).toBe('0.3');
    await button(page, 'More of wrong-key').click();
    await page.getByLabel('Own limits and lane').check();
    expect(await axe()).toEqual([]);
    await button(page, 'Save the provider').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await get('/api/providers/sim')).models).toMatchObject([
      { id: 'slow-300' },
      { id: 'perfect-ish', output_cost_per_mtok: 4, unsupported_params: ['temperature', 'top_p'] },
      { id: 'wrong-key', limits: { max_concurrency: 8 } },
    ]);
    expect((await get('/api/lanes')).items).toHaveLength(2);

    // A failure is shown in the provider's words.
    await button(page, 'Remove slow-300').click();
    await button(page, 'Remove perfect-ish').click();
    await button(page, 'Save the provider').click();
    await page.getByText('One small request to wrong-key, as saved.').waitFor();
    await button(page, 'Test').click();
    await page.getByText('○ fails', { exact: true }).waitFor();
    await page.getByText(/401/).waitFor();

    const priced = { input_cost_per_mtok: 1, output_cost_per_mtok: 4 };
    await web.client.patch('/api/providers/sim', {
      models: ['perfect-ish', 'slow-300', 'slow-1500'].map((id) => ({ id, ...priced })),
    });
    const other = { key: 'spare', base_url: `${web.simulator.url}/v1`, models: [{ id: 'instant' }] };
    await web.client.post('/api/providers', other);
    await page.goto(`${web.url}/operate/providers/spare`);
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this provider?' });
    await dialog.getByText(/limits and 1 model\./).waitFor();
    await dialog.getByRole('button', { name: 'Delete the provider' }).click();
    await heading(page, 'Providers').waitFor();
    await page.getByText('spare').waitFor({ state: 'detached' });
    expect(faults()).toEqual([]);
  });

  it('a gateway gets headers, whose values are never shown again and not kept for another host', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/operate/providers/new', width: 390 });
    const { keyboard } = page;
    const header = (name: string): Locator => page.getByRole('group', { name: `Header ${name}`, exact: true });
    await page.getByLabel('Key', { exact: true }).fill('gateway');
    const gateway = `${web.simulator.url}/gateway/403/x-team=blue,!authorization`;
    await page.getByLabel('Address').fill(`${gateway}/v1`);
    await tabTo(button(page, 'Add a header'));
    await keyboard.press('Enter');
    await keyboard.type('Host');
    await tabTo(page.getByLabel('Value'));
    await keyboard.type('red');
    expect(await page.getByLabel('Value').getAttribute('type')).toBe('password');
    await page.getByText('Not saved yet; keys, headers and certificates do not survive a reload.').waitFor();
    await keyboard.press('Control+Enter');
    await header('Host')
      .locator('.field-error')
      .getByText(/set by Toolmark/)
      .waitFor();
    await header('Host').getByLabel('Header', { exact: true }).fill('x-team');
    await header('x-team').getByLabel('Kind').selectOption('routing');
    await button(page, 'Add a model').click();
    await page.getByLabel('Id at the provider').fill('perfect-ish');
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);
    await button(page, 'Save the provider').click();
    await heading(page, 'gateway').waitFor();
    await page.getByText('x-team (routing)').waitFor();
    await button(page, 'Test').click();
    await page.getByText(/Check the provider's headers \(x-team\)/).waitFor();
    await header('x-team').getByLabel('Value').fill('blue');
    await button(page, 'Save the provider').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await header('x-team').getByLabel('Value').inputValue()).toBe('');
    await button(page, 'Test').click();
    await page.getByText('● answers', { exact: true }).waitFor();
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('blue"');

    await page.getByLabel('Address').fill('https://llm.example.com/v1');
    await page.getByText('This is another host. Enter again, or remove: the header x-team.').waitFor();
    await button(page, 'Save the provider').click();
    await page.getByRole('alert').waitFor();
    await button(page, 'Remove x-team').click();
    await button(page, 'Add a client certificate').click();
    const file = { name: 'client.pem', mimeType: 'text/plain', buffer: Buffer.from('not PEM') };
    await page.getByLabel('Certificate', { exact: true }).setInputFiles(file);
    await page.getByLabel('Private key').setInputFiles(file);
    await button(page, 'Save the provider').click();
    await page.locator('.field-error').first().waitFor();
    expect(await page.getByLabel('Certificate', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await button(page, 'Discard changes').click();
    await header('x-team').waitFor();
    await web.client.delete('/api/providers/gateway');
    expect(faults()).toEqual([]);
  });

  it('home shows which model is best, its cost and what is running, which a click stops', async () => {
    const { runId } = await startRun('sim::perfect-ish');
    await untilRunCompleted(web.client, runId);
    const slow = await startRun('sim::slow-1500', 120);
    const { page, faults } = await web.open();
    const card = page.getByRole('article', { name: 'Suite Weather' }).filter({ hasText: 'perfect-ish' });
    await card.getByText(/^100\.0 %/).waitFor();
    await card.getByRole('img', { name: /perfect-ish: 100\.0 %/ }).waitFor();
    await page.getByRole('region', { name: 'This month' }).getByText(/\$\d/).first().waitFor();
    await page.getByRole('link', { name: 'Activity 1 unfinished' }).waitFor();
    await page.getByRole('listitem').getByRole('button', { name: 'Cancel' }).click();
    await until(async () => (await get(`/api/jobs/${slow.jobId}`)).status === 'cancelled', { what: 'the cancel' });
    await page.getByRole('link', { name: 'Activity', exact: true }).waitFor();
    await page.getByRole('article').getByText('cancelled').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(runId.slice(-8));
    await page.getByRole('option', { name: /Weather/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${runId}`);
    expect(faults()).toEqual([]);
  });

  it('jobs say what they wait for, are filtered by address and are cancelled', async () => {
    await web.client.put('/api/settings/jobs', { running_jobs_per_user: 1 });
    const [first, second, third] = [
      await startRun('sim::slow-1500', 121),
      await startRun('sim::slow-1500'),
      await startRun('sim::slow-1500'),
    ];
    const { page, faults, isTooWide } = await web.open({ path: '/jobs' });
    await page.getByRole('link', { name: 'Activity 3 unfinished' }).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    const me = (await get('/api/me')).user.name;
    await jobs(page).getByText(`next in the queue of ${me}`).waitFor();
    await jobs(page).getByText(`1 ahead in the queue of ${me}`).waitFor();
    expect(await isTooWide()).toBe(false);
    const rowOf = (runId: string): Locator =>
      jobs(page)
        .getByRole('row')
        .filter({ hasText: runId.slice(-8) });
    const cancel = (runId: string): Locator => rowOf(runId).getByRole('button', { name: 'Cancel Weather' });
    const rows = await jobs(page).getByRole('row').allInnerTexts();
    const places = [first, second, third].map(({ runId }) => rows.findIndex((row) => row.includes(runId.slice(-8))));
    expect(places).toEqual([0, 1, 2].map((place) => places[0]! + place));
    await tabTo(cancel(second!.runId));
    await page.keyboard.press('Enter');
    await cancel(second!.runId).waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await cancel(second!.runId).waitFor();
    await cancel(second!.runId).click();
    await cancel(second!.runId).waitFor({ state: 'detached' });
    await jobs(page).getByText(`next in the queue of ${me}`).waitFor();
    await page.getByRole('navigation', { name: 'Jobs' }).getByRole('link', { name: 'Finished' }).click();
    await page.getByLabel('Outcome').selectOption('cancelled');
    await page.waitForURL(/status=cancelled/);
    await jobs(page).getByText(second!.runId.slice(-8)).first().waitFor();
    await jobs(page).getByRole('link', { name: 'Weather' }).first().waitFor();
    await page.getByLabel('Type').selectOption('judge');
    await page.getByText('No jobs match.').waitFor();
    const { page: seen } = await web.open({ path: '/jobs?status=running', role: 'viewer' });
    await isRefused(seen.getByRole('button', { name: /^Cancel Weather/ }), 'editor');
    await jobs(seen).getByRole('link', { name: 'Weather' }).click();
    await seen.waitForURL(`**/runs/${first!.runId}`);
    for (const { jobId } of [first!, third!]) await web.client.post(`/api/jobs/${jobId}/cancel`);
    await page.goto(`${web.url}/jobs`);
    await page.getByText('No running or queued jobs.').waitFor();
    await web.client.put('/api/settings/jobs', { running_jobs_per_user: 4 });
    expect(faults()).toEqual([]);
  });

  it('a lane whose provider is down says why, here and at home, and an owner pauses and resumes it', async () => {
    const { jobId } = await startRun('sim::slow-300', 150);
    const { page, faults, axe, isTooWide } = await web.open({ path: '/operate/lanes' });
    await lanes(page).getByText('active').waitFor();
    await page.getByRole('group', { name: 'Installation' }).getByText('1 worker').waitFor();
    await web.control('slow-300', { on: false, status: 503 });
    await lanes(page).getByText('provider down').waitFor();
    await lanes(page)
      .getByText(/next probe at .*: .*503/)
      .waitFor();
    expect(await axe()).toEqual([]);
    const { page: home, axe: axeOfHome, isTooWide: isHomeTooWide } = await web.open({ role: 'viewer', width: 360 });
    await home
      .getByRole('list', { name: 'What needs somebody' })
      .getByText(/has a provider that is down/)
      .waitFor();
    expect(await axeOfHome()).toEqual([]);
    expect(await isHomeTooWide()).toBe(false);
    await home.getByRole('list', { name: 'What needs somebody' }).getByRole('link').click();
    await isRefused(home.getByRole('button', { name: 'Pause the lane sim' }), 'owner');

    await lanes(page)
      .getByRole('button', { name: /items?$/ })
      .click();
    const me = (await get('/api/me')).user.name;
    await page.getByRole('list', { name: 'People that wait' }).getByText(`${me}: 1 job`).waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Pause the lane sim').click();
    const pausing = page.getByRole('dialog', { name: 'Pause sim?' });
    await pausing.getByText(/^No new request goes to sim/).waitFor();
    await pausing.getByText(`${me}: 1 job`).waitFor();
    await pausing.getByRole('button', { name: 'Pause' }).click();
    await lanes(page).getByText('paused').waitFor();
    expect((await get(`/api/jobs/${jobId}`)).progress.eta_s).toBeNull();
    await button(page, 'Undo').click();
    await button(page, 'Pause the lane sim').click();
    await pausing.getByRole('button', { name: 'Pause' }).click();
    await lanes(page).getByText('paused').waitFor();
    await web.control('slow-300', { on: true });
    await button(page, 'Resume the lane sim').click();
    // It is polled: the page sees the provider recover.
    await lanes(page)
      .getByText(/^\W*(active|slowed)$/)
      .waitFor({ timeout: 40_000 });
    await web.client.post(`/api/jobs/${jobId}/cancel`);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await isTooWide()).toBe(false);
    expect(faults()).toEqual([]);
  });

  it('submitted runs wait while no worker is alive, and the page says so', async () => {
    await web.workers[0]!.stop();
    const { jobId } = await startRun('sim::slow-300', 20);
    const { page, faults } = await web.open({ path: '/' });
    await page
      .getByRole('region', { name: 'Under way' })
      .getByText(/^no worker: \d+ items wait/)
      .waitFor();
    await page.goto(`${web.url}/operate/lanes`);
    await page.getByText(/No worker is alive: submitted jobs wait/).waitFor();
    await web.startWorker();
    await page.getByRole('group', { name: 'Installation' }).getByText('1 worker').waitFor();
    await page.getByText(/No worker is alive/).waitFor({ state: 'detached' });
    await web.client.post(`/api/jobs/${jobId}/cancel`);
    expect(faults()).toEqual([]);
  });

  it('what cannot be read leaves the rest of its screen, and is read again', async () => {
    const { page, faults } = await web.open({ path: '/operate/providers' });
    const parts = /\/api\/(providers\/templates|settings\/spending|system)$/;
    const body = JSON.stringify({ status: 403, detail: 'Not now.' });
    await page.route(parts, (route) => route.fulfill({ status: 403, contentType: 'application/problem+json', body }));
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    await page.goto(`${web.url}/operate/providers/new`);
    await page.getByText('Not now.').waitFor();
    for (const [label, text] of Object.entries({
      Key: 'new',
      Address: 'http://127.0.0.1:9/v1',
      'Concurrent requests': 'x',
    }))
      await page.getByLabel(label, { exact: true }).fill(text);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Not valid yet: /limits/max_concurrency.').waitFor();
    expect(sent).toEqual([]);
    await page.goto(`${web.url}/operate/spending`);
    await page.getByText('Not now.').first().waitFor();
    await page.getByRole('navigation', { name: 'Stacked by' }).waitFor();
    await page.goto(`${web.url}/operate/lanes`);
    await page.getByText('Not now.').waitFor();
    await lanes(page).waitFor();
    await page.unroute(parts);
    await page.getByText('Redis up').waitFor();
    expect(faults()).toEqual([]);
  });

  it('spending is shown against its cap, which owners set', async () => {
    const { page, faults } = await web.open({ path: '/operate/spending' });
    await page.getByText(/this month\. No cap\./).waitFor();
    const cap = page.getByLabel('US dollars', { exact: true });
    await cap.fill('-1');
    await button(page, 'Save the cap').click();
    await page.getByRole('alert').waitFor();
    expect(await cap.getAttribute('aria-invalid')).toBe('true');
    await cap.fill('0');
    await button(page, 'Save the cap').click();
    await page.getByText(/The cap is reached/).waitFor();
    await cap.fill('');
    await page.keyboard.press('Enter');
    await page.getByText(/No cap/).waitFor();
    const { page: seen } = await web.open({ path: '/operate/spending', role: 'editor' });
    await isRefused(button(seen, 'Save the cap'), 'owner');
    await seen.goto(`${web.url}/operate/providers/sim`);
    await isRefused(button(seen, 'Save the provider'), 'owner');
    await button(seen, 'More actions').click();
    await seen.locator('[role=menuitem][aria-disabled=true]').getByText(/owner/).waitFor();
    await seen.keyboard.press('Escape');
    await button(seen, 'Test').click();
    await seen.getByText('● answers', { exact: true }).waitFor();
    await seen.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Operate' }).click();
    await seen.getByRole('link', { name: 'Lanes', exact: true }).and(seen.locator('[aria-current=page]')).waitFor();
    expect(faults()).toEqual([]);
  });

  it('spending is charted by day and listed by model, provider, suite or person, as in the address', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/operate/spending', width: 360, role: 'viewer' });
    const by = (what: string): Locator => page.getByRole('region', { name: `Spending by ${what}`, exact: true });
    await by('model').getByTitle('sim::perfect-ish').waitFor();
    await page
      .getByRole('figure', { name: 'Cost by day and model' })
      .getByText(/^\$\S+ in total, by UTC day\. (All|On 2 days; most) on /)
      .waitFor();
    const { total } = await get('/api/spending');
    await by('model')
      .getByRole('row', { name: /^Total/ })
      .getByText(total.requests.toLocaleString('en'))
      .first()
      .waitFor();
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);
    const tab = (name: string): Locator =>
      page.getByRole('navigation', { name: 'Stacked by' }).getByRole('link', { name });
    await tab('By provider').click();
    await by('provider').getByRole('rowheader', { name: 'sim' }).waitFor();
    await tab('By person').click();
    await page.waitForURL(/by=person/);
    await by('person')
      .getByRole('rowheader', { name: (await get('/api/me')).user.name })
      .waitFor();
    await tab('By suite').click();
    await by('suite').getByRole('rowheader', { name: 'Weather' }).first().waitFor();
    await page.goto(`${web.url}/operate/spending?span=last_month&by=%7B%22a%22%3A1%7D`);
    await page.getByText('No requests in this span.').waitFor();
    expect(faults()).toEqual([]);
  });
});
