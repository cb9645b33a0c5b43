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
    await page.getByRole('button', { name: 'Team and user' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Toolmark' }).waitFor();
    expect(faults()).toEqual([]);
  });
});
