// Needs an API of its own: it has a provider of sign-in, with faults.
import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { openCommandLine } from '../command-line.js';
import type { ProviderState } from '../sign-in-provider.js';
import { chooseAccount, signInAs, startSignInWeb, userMenu, type SignInWeb } from '../sign-in-web.js';
import { until } from '../until.js';
import { journeys } from '../web.js';

const ACCOUNTS = {
  ada: { name: 'Ada', groups: ['editors'] },
  bob: { name: 'Bob', groups: [] },
};
let web: SignInWeb;

journeys('a sign-in at a provider', () => {
  const cli = openCommandLine(() => web.client);
  beforeAll(async () => {
    web = await startSignInWeb(ACCOUNTS, [{ group: 'editors', team: 'default', role: 'editor' }]);
  }, 120_000);
  afterEach(() => web.provider.set({ accounts: ACCOUNTS, clockAheadMs: 0, fault: null }));

  const signedIn = (page: Page) => userMenu(page, 'Ada', 'editor');
  /** The page at the end of a sign-in that failed. */
  const refusal = (page: Page, sentence: RegExp) =>
    page
      .getByRole('heading', { name: 'Not signed in' })
      .waitFor()
      .then(() => page.getByText(sentence).waitFor());
  const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

  it.each<[what: string, state: Partial<ProviderState>, sentence: RegExp]>([
    ['of another issuer', { fault: 'token_issuer' }, /could not be verified/],
    ['that a callback of another issuer brings', { fault: 'response_issuer' }, /could not be verified/],
    ['with another nonce', { fault: 'nonce' }, /could not be verified/],
    ['for another client', { fault: 'audience' }, /could not be verified/],
    ['signed with another key', { fault: 'signature' }, /could not be verified/],
    ['that is not signed', { fault: 'algorithm_none' }, /could not be verified/],
    ['of a code that was used before', { fault: 'replayed_code' }, /was used before, or took too long/],
    ['of a clock that is ten minutes ahead', { clockAheadMs: 600_000 }, /clocks of Example SSO and Toolmark differ/],
  ])('with an answer %s lets nobody in, says why, and works afterwards', async (_what, state, sentence) => {
    const { page } = await web.openNew({ path: '/suites' });
    if (state.fault === 'replayed_code') {
      const other = await web.openNew();
      await signInAs(other.page, 'Ada');
      await signedIn(other.page).waitFor();
    }
    await web.provider.set(state);
    await signInAs(page, 'Ada');
    await refusal(page, sentence);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('toolmark_session');
    await web.provider.set({ fault: null, clockAheadMs: 0 });
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('button', { name: 'Sign in with' }).click();
    await signedIn(page).waitFor();
    expect(new URL(page.url()).pathname).toBe('/suites');
  });

  it('counts once, in the browser that began it; it allows a clock half a minute off and a cancel', async () => {
    await web.provider.set({ clockAheadMs: 30_000 });
    const { page } = await web.openNew();
    const callbacks: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/callback?')) callbacks.push(request.url());
    });
    await page.getByRole('button', { name: 'Sign in with' }).click();
    await chooseAccount(page, 'Cancel');
    await refusal(page, /was cancelled, or Example SSO refused it/);
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await signInAs(page, 'Ada');
    await signedIn(page).waitFor();
    const elsewhere = await web.openNew();
    for (const browser of [page, elsewhere.page]) {
      await browser.goto(callbacks.at(-1)!);
      await refusal(browser, /This sign-in (has ended|was finished before)/);
    }
    await page.goto(web.url);
    await signedIn(page).waitFor();
  });

  it('of two tabs at once ends in both', async () => {
    const { page, context } = await web.openNew({ path: '/suites' });
    const other = await context.newPage();
    await other.goto(`${web.url}/runs`);
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Sign in with' }).click();
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Ada' }).waitFor();
    await Promise.all([page, other].map((tab) => chooseAccount(tab, 'Ada')));
    for (const tab of [page, other]) await signedIn(tab).waitFor();
    expect([page, other].map((tab) => new URL(tab.url()).pathname)).toEqual(['/suites', '/runs']);
  });

  /** Somebody in the middle of a new suite. */
  async function inMidEdit() {
    const opened = await web.openNew({ path: '/suites/new' });
    await signInAs(opened.page, 'Ada');
    await signedIn(opened.page).waitFor();
    await opened.page.getByLabel('Name').first().fill('Half a suite');
    return opened;
  }
  /** Signs in again in a window, and goes on with what was typed. */
  async function goOn(page: Page): Promise<void> {
    await ended(page).waitFor();
    const opens = page.waitForEvent('popup');
    await ended(page).getByRole('button', { name: 'Sign in with' }).click();
    const popup = await opens;
    const choose = popup.getByRole('button', { name: 'Ada' });
    await choose
      .or(popup.getByText('You are signed in'))
      .first()
      .waitFor()
      .catch(() => {});
    if (!popup.isClosed() && (await choose.isVisible())) await choose.click();
    await ended(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').first().inputValue()).toBe('Half a suite');
  }

  it('again, when the session has ended in the middle of an edit, loses nothing that was typed', async () => {
    const { page, faults } = await inMidEdit();
    await web.sql.query(`UPDATE session SET expires_at = now()`);
    await goOn(page);
    await page.getByLabel('Tools').fill(JSON.stringify(weatherSuite(0).tools));
    await page.getByRole('button', { name: 'Create suite' }).click();
    await page.getByRole('heading', { name: 'Half a suite' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('ends with a logout at the provider, and the page asks at once', async () => {
    const { page } = await inMidEdit();
    await web.provider.logOut('ada');
    await ended(page).waitFor();
    await goOn(page);
  });

  it('of somebody who has lost the group since ends when the groups are read again', async () => {
    const { page } = await inMidEdit();
    await web.provider.set({ accounts: { ...ACCOUNTS, ada: { ...ACCOUNTS.ada, groups: [] } } });
    await web.sql.query(`UPDATE session SET claims_read_at = now() - interval '2 hours'`);
    await ended(page).waitFor();
    const { rows } = await web.sql.query(`SELECT 1 FROM users WHERE name = 'Ada' AND removed_by = 'rule'`);
    expect(rows).toHaveLength(1);
    const fresh = await web.openNew();
    await signInAs(fresh.page, 'Ada');
    await refusal(fresh.page, /you are in no team of this Toolmark/);
    await web.provider.set({ accounts: ACCOUNTS });
    await goOn(page);
  });

  it('is not possible while the provider is down, which ends no session', async () => {
    const { page } = await inMidEdit();
    const fresh = await web.openNew();
    await web.provider.set({ fault: 'down' });
    await web.sql.query(`UPDATE session SET claims_read_at = now() - interval '2 hours'`);
    await until(
      async () => (await web.sql.query('SELECT 1 FROM session WHERE rereading_at IS NOT NULL')).rowCount! > 0,
      {
        timeoutMs: 60_000,
      },
    );
    await page.goto(`${web.url}/runs`);
    await signedIn(page).waitFor();
    await web.provider.set({ fault: null });
    await signInAs(fresh.page, 'Ada');
    await signedIn(fresh.page).waitFor();
  });

  it('leads back to a login of the command line, which is approved there', async () => {
    const { child, ended: hasEnded } = cli.start('toolmark', ['login'], undefined, { TOOLMARK_SERVER: web.url });
    let shown = '';
    child.stderr.on('data', (text: string) => (shown += text));
    const address = await until(() => /http\S+\/device\?code=(\S+)/.exec(shown), { what: 'the address' });
    const { page, axe, faults } = await web.openNew({
      path: new URL(address![0]).pathname + new URL(address![0]).search,
    });
    await signInAs(page, 'Ada');
    await page.getByText(address![1]!).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('it is signed in within seconds').waitFor();
    expect(await hasEnded).toMatchObject({ code: 0, out: expect.stringMatching(/as Ada of team default \(editor\)/) });
    expect((await cli.toolmarkWith({}, 'whoami')).out).toMatch(/^person {4}Ada$/m);
    expect(faults()).toEqual([]);
  });

  it('with an invitation makes a member of somebody whom no rule lets in, once', async () => {
    const { url } = (await web.client.post('/api/invitations', { role: 'viewer', note: 'Bob' })).body;
    const { page, axe, faults } = await web.openNew({ path: url.replace(web.url, '') });
    await page.getByRole('heading', { name: 'Join default' }).waitFor();
    expect(await axe()).toEqual([]);
    await signInAs(page, 'Bob');
    await userMenu(page, 'Bob', 'viewer').waitFor();
    const late = await web.openNew({ path: url.replace(web.url, '') });
    await late.page
      .getByText(/invitation has been used/)
      .first()
      .waitFor();
    expect(faults()).toEqual([]);
  });
});
