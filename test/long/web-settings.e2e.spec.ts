import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { until } from '../until.js';
import { act, choose, joinWeb, journeys, tabTo, textOf, type TeamWeb } from '../web.js';

let web: TeamWeb;

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const get = async (path: string) => (await web.client.get(path)).body;
const tokens = (page: Page): Locator => page.getByRole('region', { name: 'List of tokens' });

const isRefused = async (control: Locator, needed: string): Promise<void> => {
  await control.waitFor();
  expect(await control.isDisabled()).toBe(true);
  expect(await control.getAttribute('title')).toContain(needed);
};

/** What an owner does, or what happens to a session by itself. */
async function endSessionsOf(user: string): Promise<void> {
  const { items } = await get('/api/sessions');
  const theirs = items.filter((session: { user: string }) => session.user === user);
  await Promise.all(theirs.map(({ id }: { id: string }) => web.client.delete(`/api/sessions/${id}`)));
}

journeys('settings', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const models = ['perfect-ish', 'embeddings', 'judge:right'].map((id) => ({ id }));
    await web.client.post('/api/providers', { key: 'sim', base_url: `${web.simulator.url}/v1`, models });
  });

  it('a token is created by keyboard, is shown once, signs in, and stops working when it is deleted', async () => {
    const { page, faults, axe, isTooWide } = await web.open({ path: '/settings', width: 360 });
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Tokens' }).click();
    const { keyboard } = page;
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    await tabTo(page.getByLabel('Purpose'));
    await keyboard.type('<b>Nightly</b>');
    await tabTo(page.getByLabel('Role'));
    await keyboard.type('editor');
    await tabTo(page.getByLabel('User', { exact: true }));
    await keyboard.type('ci');
    await tabTo(page.getByLabel('Expires'));
    await keyboard.type('in 30');
    await keyboard.press('Control+Enter');
    const shown = page.getByRole('group', { name: 'Token <b>Nightly</b>' });
    await shown.getByText('Copy it now: it is shown only once.').waitFor();
    const secret = await shown.locator('code').innerText();
    expect(secret).toMatch(/^tm_/);
    expect(await axe()).toEqual([]);
    expect(await isTooWide()).toBe(false);
    await tabTo(shown.getByRole('button', { name: 'Done' }));
    await keyboard.press('Enter');
    await shown.waitFor({ state: 'detached' });
    await page.reload();
    await tokens(page).getByText('<b>Nightly</b>').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect((await get('/api/tokens')).items[0]).toMatchObject({
      role: 'editor',
      user: 'ci',
      expires_at: expect.any(String),
    });

    const { page: theirs } = await web.open({ token: secret, path: '/settings/tokens' });
    await theirs.getByText('ci, editor').waitFor();
    await theirs.getByText('Only owners see and create the tokens of the team. This needs an owner').waitFor();

    await button(page, 'Delete the token <b>Nightly</b>').click();
    const dialog = page.getByRole('dialog', { name: 'Delete this token?' });
    await dialog.getByText(/its sessions end/).waitFor();
    expect(await axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete the token' }).click();
    await tokens(page).getByText('<b>Nightly</b>').waitFor({ state: 'detached' });
    // The API caches authentication for three seconds.
    await until(async () => {
      await theirs.reload();
      await theirs.getByRole('heading', { level: 1 }).waitFor();
      return theirs.getByRole('heading', { name: 'Sign in to Toolmark' }).isVisible();
    });

    // The last token that could create another one cannot be deleted.
    await page
      .getByRole('button', { name: /^Delete the token/ })
      .last()
      .click();
    await dialog.getByRole('button', { name: 'Delete the token' }).click();
    await dialog.getByText(/last way in for an owner/).waitFor();
    await keyboard.press('Escape');
    expect(faults()).toEqual([]);
  });

  it('a token is limited to reading and to suites, and its cap is shown with what is spent', async () => {
    const suiteId = await web.client.importSuite(weatherSuite(1));
    const { name } = await get(`/api/tool-suites/${suiteId}`);
    const { page, faults, axe } = await web.open({ path: '/settings/tokens' });
    await page.getByLabel('Purpose').fill('Dashboard');
    await page.getByText('Limits', { exact: true }).last().click();
    await page.getByLabel('Reads only').check();
    await choose(page.getByRole('combobox', { name: 'Suites' }), name);
    await page.getByRole('list', { name: 'Chosen suites' }).getByText(name).waitFor();
    await page.getByLabel('Monthly cap in US dollars').fill('2.5');
    expect(await axe()).toEqual([]);
    await button(page, 'Create token').click();
    const shown = page.getByRole('group', { name: 'Token Dashboard' });
    const secret = await shown.locator('code').innerText();
    const row = tokens(page).getByRole('row', { name: /^Dashboard/ });
    await row.getByText('reads only').waitFor();
    await row.getByText(name).waitFor();
    await row.getByText('$0 of $2.50 this month').waitFor();
    expect((await get('/api/tokens')).items[0]).toMatchObject({
      name: 'Dashboard',
      reads_only: true,
      suites: [{ id: suiteId }],
      monthly_cap_usd: 2.5,
    });
    await button(page, 'Change the cap of Dashboard').click();
    await page.getByRole('dialog').getByLabel('Monthly cap in US dollars').fill('');
    await button(page, 'Save cap').click();
    await row.getByText('this month').waitFor({ state: 'detached' });

    const { page: theirs, faults: theirFaults } = await web.open({ token: secret, path: '/settings/account' });
    await theirs.getByText('reads only, 1 suite').waitFor();
    await isRefused(button(theirs, 'Create token'), 'has limits');
    await theirs.getByText('Token expires').waitFor();
    expect(await theirs.getByRole('heading', { name: 'Your teams' }).count()).toBe(0);
    await theirs.getByRole('link', { name: 'Toolmark' }).click();
    await theirs.getByText('is limited to some suites').waitFor();
    await theirs.getByRole('link', { name: 'All suites' }).click();
    await theirs.getByRole('link', { name, exact: true }).click();
    await isRefused(button(theirs, 'Add a case'), 'only reads');
    expect(theirFaults()).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it('an invitation lets one person in, whose role an owner changes, and whom an owner removes', async () => {
    const { page, faults, axe, context } = await web.open({ path: '/settings/people' });
    await page.getByLabel('Note').fill('Ada, for the review');
    await page.getByLabel('Role').first().selectOption('editor');
    await button(page, 'Create invitation').click();
    const shown = page.getByRole('group', { name: 'Invitation' });
    const link = await shown.locator('code').innerText();
    expect(await axe()).toEqual([]);
    await shown.getByRole('button', { name: 'Done' }).click();
    const invitations = page.getByRole('region', { name: 'List of invitations' });
    await invitations.getByText('Ada, for the review').waitFor();

    const guest = await context.browser()!.newContext();
    const theirs = await guest.newPage();
    await theirs.goto(link);
    await theirs.getByText('invites you to the team').waitFor();
    expect(theirs.url()).toBe(`${web.url}/join`);
    await theirs.getByLabel('Your name').fill('Ada');
    await theirs.keyboard.press('Enter');
    const token = theirs.getByRole('group', { name: 'Your token' });
    expect(await token.locator('code').innerText()).toMatch(/^tm_/);
    await token.getByText(/, until \d+ \w+ \d{4}\. Before then, make another one/).waitFor();
    await button(theirs, 'Open Toolmark').click();
    await theirs.getByRole('button', { name: 'Ada, editor' }).waitFor();
    const late = await guest.newPage();
    await late.goto(link);
    await late
      .getByRole('alert')
      .getByText(/invitation/)
      .waitFor();

    await page.reload();
    const members = page.getByRole('region', { name: 'List of members' });
    await members.getByRole('row', { name: /^Ada/ }).waitFor();
    await act(page, 'Change role', 'Actions of Ada');
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await members.getByRole('row', { name: /^Ada.*viewer/ }).waitFor();
    await act(page, 'Change role', 'Actions of owner');
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('dialog').getByText('Nobody else can manage the team').waitFor();
    expect(await axe()).toEqual([]);
    await page.keyboard.press('Escape');

    await act(page, 'Remove from the team', 'Actions of Ada');
    await button(page, 'Remove').click();
    await members.getByRole('row', { name: /^Ada/ }).waitFor({ state: 'detached' });
    await theirs.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(faults()).toEqual([]);
    await guest.close();
  });

  it('a service account works with tokens, and cannot sign in', async () => {
    const { page, faults, axe } = await web.open({ path: '/settings/people', width: 390, height: 844 });
    await page.getByLabel('Name', { exact: true }).fill('nightly');
    await button(page, 'Create service account').click();
    await act(page, 'New token', 'Actions of nightly');
    const dialog = page.getByRole('dialog', { name: 'New token of nightly' });
    await dialog.getByLabel('Purpose').fill('pipeline');
    expect(await axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const secret = await page.getByRole('group', { name: 'Token pipeline' }).locator('code').innerText();
    const { page: theirs } = await web.open({ token: secret });
    await theirs.getByLabel('Token').fill(secret);
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs
      .getByRole('alert')
      .getByText(/service account/)
      .waitFor();
    expect(faults()).toEqual([]);
  });

  it('a session that ends in mid-edit loses nothing: all tabs ask at once, and go on together', async () => {
    const { page, faults, axe, context } = await web.open({ path: '/settings/cache' });
    const other = await context.newPage();
    await other.goto(`${web.url}/suites/new`);
    await other.getByLabel('Name', { exact: true }).fill('Half a suite');
    const days = page.getByLabel('Lifetime of a reply in days');
    await days.fill('21');
    const ended = (one: Page) => one.getByRole('dialog', { name: 'Your session has ended' });
    await endSessionsOf('owner');
    await Promise.all([ended(page).waitFor(), ended(other).waitFor()]);
    expect(await axe()).toEqual([]);
    await ended(page).getByRole('button', { name: 'Not now' }).click();
    await page.getByText('Nothing can be loaded or saved until you sign in again.').waitFor();
    await button(page, 'Save lifetime').click();
    await ended(page).getByLabel('Token').fill('a-wrong-token');
    await page.keyboard.press('Enter');
    await ended(page).getByRole('alert').getByText('unknown, revoked or expired').waitFor();

    // Somebody else sees whose page it is, and does not save into it.
    const { body: theirs } = await web.client.post('/api/tokens', { name: 'x', role: 'editor', user: 'somebody' });
    await ended(page).getByLabel('Token').fill(theirs.token);
    await page.keyboard.press('Enter');
    const foreign = page.getByRole('dialog', { name: 'Somebody else has signed in' });
    await foreign.getByText('somebody is signed in; this page was opened by owner.').waitFor();
    await other.getByRole('dialog', { name: 'Somebody else has signed in' }).waitFor();
    expect(await axe()).toEqual([]);
    await foreign.getByRole('button', { name: 'Sign in as owner' }).click();
    await ended(page).getByLabel('Token').fill(web.client.token);
    await page.keyboard.press('Enter');
    await ended(page).waitFor({ state: 'detached' });

    expect(await days.inputValue()).toBe('21');
    await button(page, 'Save lifetime').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await get('/api/settings/cache')).toMatchObject({ lifetime_days: 21 });
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await other.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a suite');
    expect(faults()).toEqual([]);

    // Signing out on purpose leaves in all tabs.
    await page.getByRole('button', { name: 'owner, owner' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
  });

  it('a person sees where they are signed in, and an owner ends the sessions of others', async () => {
    const { page: theirs } = await web.open({ role: 'editor', path: '/settings/account' });
    await theirs.getByText('this browser').waitFor();
    const { page, faults, axe } = await web.open({ path: '/settings/sessions' });
    const list = page.getByRole('region', { name: 'List of sessions' });
    await list
      .getByRole('button', { name: /^End the session of a editor/ })
      .first()
      .waitFor();
    expect(await axe()).toEqual([]);
    await list
      .getByRole('button', { name: /^End the session of a editor/ })
      .first()
      .click();
    await button(page, 'End the session').click();
    await theirs.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('the models that compare and judge are chosen, and faults are shown at their fields', async () => {
    const { page, faults, axe } = await web.open({ path: '/settings/embedding' });
    const model = page.getByLabel('Embedding model');
    await choose(model, 'embeddings');
    await button(page, 'Save model').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await get('/api/settings/embedding')).toEqual({ provider_key: 'sim', model_id: 'embeddings' });
    await page.getByRole('button', { name: 'Clear Embedding model' }).click();
    await button(page, 'Save model').click();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect(await get('/api/settings/embedding')).toEqual({ provider_key: null, model_id: null });

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Judge' }).click();
    await choose(page.getByLabel('Model', { exact: true }), 'judge:right');
    await page.getByLabel('Judge runs automatically below').fill('2');
    await button(page, 'Save the settings').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Judge runs automatically below').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Judge runs automatically below').fill('0.5');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('link', { name: /^Reports, labels/ }).click();
    await page.getByText('judges failures of runs below 50.0 % by itself').waitFor();
    await act(page, 'Judge settings');
    await page.waitForURL('**/settings/judge');
    expect(faults()).toEqual([]);
  });

  it('the cache shows its size and is cleared after a confirmation; jobs are limited', async () => {
    const suite_id = await web.client.importSuite(weatherSuite(3));
    const { body } = await web.client.post('/api/tool-eval', { suite_id, models: ['sim::perfect-ish'] });
    await untilRunCompleted(web.client, body.eval_id);
    const { page, faults, axe } = await web.open({ path: '/settings/cache' });
    await page.getByText(/^3 replies are stored, .*B|^3 replies are stored, \d+ bytes/).waitFor();
    await page.getByLabel('Lifetime of a reply in days').fill('7');
    await button(page, 'Save lifetime').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await get('/api/settings/cache')).toMatchObject({ lifetime_days: 7, entries: 3 });
    await button(page, 'Clear the cache').click();
    const dialog = page.getByRole('dialog', { name: 'Clear the cache?' });
    await dialog.getByText(/^3 stored replies are no longer used/).waitFor();
    expect(await axe()).toEqual([]);
    await dialog.getByRole('button', { name: 'Clear it' }).click();
    await page.getByText('No replies are stored.').waitFor();

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Limits' }).click();
    const limit = page.getByLabel('Running jobs per user');
    await limit.fill('101');
    await button(page, 'Save limit').click();
    await page.getByRole('alert').waitFor();
    expect(await limit.getAttribute('aria-invalid')).toBe('true');
    await limit.fill('2');
    await button(page, 'Save limit').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await get('/api/settings/jobs')).toEqual({ running_jobs_per_user: 2 });
    expect(faults()).toEqual([]);
  });

  it('only the operator creates a team, with a first token that signs in', async () => {
    const { page, faults, axe } = await web.open({ path: '/settings/teams', token: web.operator.token });
    const name = `search ${randomUUID()}`;
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Create team').click();
    const shown = page.getByRole('group', { name: `First owner token of ${name}` });
    const secret = await shown.locator('code').innerText();
    await page.getByRole('region', { name: 'List of teams' }).getByText(name).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Create team').click();
    await page.getByRole('alert').waitFor();
    const { page: theirs } = await web.open({ token: secret, path: '/settings/teams' });
    await isRefused(button(theirs, 'Create team'), 'owners of the team');
    const list = theirs.getByRole('region', { name: 'List of teams' });
    await list.getByText(name).waitFor();
    expect(await list.getByRole('row').count()).toBe(2);
    expect(faults()).toEqual([]);
  });

  it('what is near its limit comes first; the operator changes a limit, which others read', async () => {
    const { team } = (await web.client.get('/api/me')).body;
    const { page, faults, axe } = await web.open({
      path: `/settings/limits?team=${team.id}`,
      token: web.operator.token,
    });
    const list = page.getByRole('region', { name: 'List of limits' });
    const tokenRow = list.getByRole('row', { name: /^Tokens/ });
    await button(page, 'Change the limit: Tokens').click();
    const dialog = page.getByRole('dialog', { name: 'Limit: Tokens' });
    await dialog.getByLabel('At most').fill('1');
    expect(await axe()).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await tokenRow.getByText('set for this team').waitFor();
    await tokenRow.getByText('reached').waitFor();
    expect(await list.getByRole('row').nth(1).innerText()).toMatch(/^Tokens/);
    expect(await axe()).toEqual([]);

    const { page: theirs, faults: theirFaults, isTooWide } = await web.open({ path: '/settings/tokens', width: 390 });
    await theirs.getByLabel('Purpose').fill('One too many');
    await button(theirs, 'Create token').click();
    await theirs.getByRole('alert').getByRole('link', { name: 'See the limits' }).click();
    await theirs.getByText('Only owners of the team “default” change these limits.').waitFor();
    await theirs.getByRole('progressbar', { name: 'Tokens: used' }).waitFor();
    expect(await isTooWide()).toBe(false);
    await button(page, 'Change the limit: Tokens').click();
    await dialog.getByLabel('At most').fill('');
    await dialog.getByRole('button', { name: 'Save limit' }).click();
    await tokenRow.getByText('reached').waitFor({ state: 'detached' });
    expect([...faults(), ...theirFaults()]).toEqual([]);
  });

  it('an owner finds in the audit who changed what, and what was refused', async () => {
    const key = `audited-${randomUUID().slice(0, 8)}`;
    await web.client.post('/api/providers', {
      key,
      name: 'Before',
      base_url: `${web.simulator.url}/v1`,
      models: ['m'],
    });
    await web.client.patch(`/api/providers/${key}`, { name: 'After', api_key: 'sk-never-shown' });
    const { page, faults, axe, isTooWide } = await web.open({ path: `/settings/audit?subject=${key}` });
    const list = page.getByRole('region', { name: 'List of entries' });
    const row = list.getByRole('button', { name: 'A provider was changed' });
    await tabTo(row);
    await page.keyboard.press('Enter');
    const changed = page.getByRole('row', { name: /^name/ });
    expect(await changed.getByRole('cell').allInnerTexts()).toEqual(['Before', 'After']);
    expect(await page.content()).not.toContain('sk-never-shown');
    expect(await axe()).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as JSON lines').click()]);
    const lines = (await textOf(download)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(['provider.update', 'provider.create']);
    await choose(page.getByRole('combobox', { name: 'Action' }), 'A provider was created');
    await row.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('action')).toBe('provider.create');
    await page.setViewportSize({ width: 360, height: 800 });
    await list.getByRole('button', { name: 'A provider was created' }).click();
    expect(await isTooWide()).toBe(false);
    expect(await axe('light')).toEqual([]);

    const { page: theirs } = await web.open({ path: '/settings/audit', role: 'editor' });
    await theirs.getByText('Only owners read the audit of the team. This needs an owner').waitFor();
    expect(faults()).toEqual([]);
  });

  it('everybody can read them, and the right roles can change them', async () => {
    const { page, faults } = await web.open({ path: '/settings/cache', role: 'viewer' });
    await isRefused(button(page, 'Save lifetime'), 'owner');
    await isRefused(button(page, 'Clear the cache'), 'editor');
    for (const [path, name] of [
      ['embedding', 'Save model'],
      ['jobs', 'Save limit'],
      ['judge', 'Save the settings'],
      ['teams', 'Create team'],
    ]) {
      await page.goto(`${web.url}/settings/${path}`);
      await isRefused(button(page, name!), 'owner');
    }
    const { page: editor } = await web.open({ path: '/settings/cache', role: 'editor' });
    await button(editor, 'Clear the cache').waitFor();
    expect(await button(editor, 'Clear the cache').isDisabled()).toBe(false);
    await isRefused(button(editor, 'Save lifetime'), 'owner');
    expect(faults()).toEqual([]);
  });
});
