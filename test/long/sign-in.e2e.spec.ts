// Needs an API of its own: it has a provider of sign-in.
import { until } from '../until.js';
import { signInAs, startSignInWeb, userMenu, type SignInWeb } from '../sign-in-web.js';
import { journeys } from '../web.js';

let web: SignInWeb;

journeys('people who sign in at a provider', () => {
  beforeAll(async () => {
    web = await startSignInWeb({ ada: { name: 'Ada', email: 'ada@example.com', groups: ['editors', 'searchers'] } }, [
      { group: 'editors', team: 'default', role: 'editor' },
      { group: 'viewers', team: 'default', role: 'viewer' },
      { group: 'searchers', team: 'search', role: 'owner' },
    ]);
    await web.client.post('/api/teams', { name: 'search' });
  }, 120_000);

  it('come in by their groups, work in two teams in two tabs, follow their groups, and sign out', async () => {
    const { page, context, faults, axe } = await web.openNew({ path: '/suites?q=x' });
    await page.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
    expect(await axe()).toEqual([]);
    await signInAs(page, 'Ada');
    await userMenu(page, 'Ada', 'editor').waitFor();
    expect(page.url()).toBe(`${web.url}/suites?q=x`);
    expect(await page.evaluate('document.cookie')).toBe('');

    const other = await context.newPage();
    await other.goto(`${web.url}/`);
    await userMenu(other, 'Ada', 'editor').click();
    await other.getByRole('menuitem', { name: 'Change team' }).click();
    await other.getByRole('list', { name: 'Your teams' }).getByRole('button', { name: 'search' }).click();
    await userMenu(other, 'Ada', 'owner').waitFor();
    await page.reload();
    await userMenu(page, 'Ada', 'editor').waitFor();
    await other.goto(`${web.url}/settings/people`);
    await other.getByRole('heading', { name: 'Members' }).waitFor();

    await web.provider.set({ accounts: { ada: { name: 'Ada', groups: ['viewers'] } } });
    const second = await web.openNew();
    await signInAs(second.page, 'Ada');
    await userMenu(second.page, 'Ada', 'viewer').waitFor();
    // An API remembers a role for three seconds.
    await until(
      async () => {
        await page.reload();
        await page.getByRole('button', { name: 'Ada, ' }).waitFor();
        return userMenu(page, 'Ada', 'viewer').isVisible();
      },
      { timeoutMs: 30_000 },
    );
    // It is refused, or the tab has noticed by itself and is covered by a dialog.
    await other.getByRole('button', { name: 'Create invitation' }).dispatchEvent('click');
    const said = /^You are (not in this team, or no longer|signed in to the team default; this page shows search)\./;
    await other.getByText(said).first().waitFor();

    await userMenu(page, 'Ada', 'viewer').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
    await other.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
    // At the provider they still are signed in.
    await page.getByRole('button', { name: 'Sign in with' }).click();
    await userMenu(page, 'Ada', 'viewer').waitFor();
    expect(faults()).toEqual([]);
  }, 120_000);
});
