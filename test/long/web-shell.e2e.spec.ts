import { joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;

journeys('the page', () => {
  beforeAll(async () => (web = await joinWeb()));

  it('takes the token out of the address and history, and no script can read the session', async () => {
    const { page, faults, axe } = await web.open({ path: '/?a=1' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(page.url()).toBe(`${web.url}/?a=1`);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])')).not.toContain('token');
    expect(await axe()).toEqual([]);
    expect(faults()).toEqual([]);
  });

  it('leads to the sign-in screen and back to the same address, and explains a refused token', async () => {
    const { page, faults, axe } = await web.open({ token: 'a-wrong-token', path: '/?b=2' });
    await page.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByLabel('Token').fill('another-wrong-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill(web.client.token);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
    expect(page.url()).toBe(`${web.url}/?b=2`);
    await page.getByRole('button', { name: 'owner, owner' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('leads from its help to a guide that needs no script, and says where one is', async () => {
    const { page, faults, axe } = await web.open({ path: '/settings/tokens' });
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Settings' }).waitFor();
    expect(await page.title()).toBe('Tokens · Toolmark');
    await page.getByRole('button', { name: 'Help' }).press('Enter');
    await page.locator('[role=menuitem]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    const glossary = page.getByRole('menuitem', { name: 'Glossary' });
    expect(await glossary.evaluate((item) => item === item.ownerDocument.activeElement)).toBe(true);
    await page.goto(`${web.url}${await glossary.getAttribute('href')}`);
    await page.getByRole('heading', { name: 'Glossary' }).waitFor();
    expect(await axe()).toEqual([]);
    await page.locator('a[href*="scoring.html#intervals"]').click();
    await page.getByRole('heading', { name: 'Intervals, and how far to trust them' }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('keeps its navigation at an unknown address, and on a phone has a bar with five places', async () => {
    const { page, isTooWide } = await web.open({ path: '/rnus/x', width: 390, height: 844 });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('button', { name: 'Search' }).last().click();
    await page.getByRole('combobox').fill('label res');
    await page.getByRole('option', { name: 'Label results' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.title()).toBe('Page not found · Toolmark');
    const bar = page.getByRole('navigation', { name: 'Main' });
    expect(await bar.locator('> a:visible, > button:visible, > div > a:visible').count()).toBe(5);
    await bar.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Gates' }).click();
    await page.getByRole('heading', { name: 'Gates', level: 1 }).waitFor();
    expect(await isTooWide()).toBe(false);
  });
});
