import type { Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { until } from '../until.js';
import { faultsOfScreens } from '../web-screens.js';
import { joinWeb, journeys, textOf, type TeamWeb } from '../web.js';

let web: TeamWeb;
const importSuite = (suite: object | string): Promise<string> => web.client.importSuite(suite);
const casesOf = async (suiteId: string): Promise<any[]> =>
  (await web.client.get(`/api/tool-suites/${suiteId}/cases`)).body.items;

/** CodeMirror needs real key events. */
async function retype(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

journeys('suites and cases in the page', () => {
  beforeAll(async () => (web = await joinWeb()));

  it('create a suite and its first case by keyboard alone', async () => {
    const { page, faults } = await web.open({ path: '/suites' });
    await page.getByRole('heading', { name: 'Suites' }).waitFor();
    await page.getByRole('link', { name: 'New suite' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New suite' }).waitFor();
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('By keyboard');
    await page.getByRole('textbox', { name: 'Tools' }).waitFor();
    for (let tabs = 0; tabs < 4; tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('[{"type": "function", "function": {"name": "greet"}}]');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'By keyboard' }).waitFor();

    await page.getByRole('link', { name: 'Add a case' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New case' }).waitFor();
    await page.getByLabel('Prompt', { exact: true }).focus();
    await page.keyboard.type('Say hello to Ann');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Case 1: Say hello to Ann' }).waitFor();
    await page.getByText('Added.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Add another' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New case' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'New case' }).waitFor();
    await until(async () => (await page.getByLabel('Prompt', { exact: true }).inputValue()) === 'Say hello to Ann');
    await page.getByLabel('Prompt', { exact: true }).fill('Say hello to Bob');
    await page.reload();
    await page.getByText('Your unsent changes are back.').waitFor();
    await page.getByRole('button', { name: 'Add the case' }).click();
    await page.getByRole('heading', { name: 'Case 2: Say hello to Bob' }).waitFor();
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('heading', { name: 'Case 1: Say hello to Ann' }).waitFor();
    await page.locator('body').press('j');
    await page.getByRole('heading', { name: 'Case 2: Say hello to Bob' }).waitFor();
    // Unsaved changes are not left without asking, and are there again afterwards.
    await page.getByLabel('Prompt', { exact: true }).fill('Say hello to Eve');
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Case 1: Say hello to Ann' }).waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Your unsent changes are back.').waitFor();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('Say hello to Eve');
    await page.getByRole('button', { name: 'Start over' }).click();
    const suiteId = /suites\/([^/]+)/.exec(page.url())![1]!;
    expect(await casesOf(suiteId)).toMatchObject([
      { prompt: 'Say hello to Ann', expected_tool: 'greet' },
      { prompt: 'Say hello to Bob', expected_tool: 'greet' },
    ]);
    expect(faults()).toEqual([]);
  });

  it('keep every number and every field of an edited case', async () => {
    const params = '{"n":5.0,"big":12345678901234567890}';
    const suiteId = await importSuite(
      '{"name":"Numbers","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],' +
        `"test_cases":[{"prompt":"p","expected_tool":"f","expected_params":${params},"source":"by hand"}]}`,
    );
    const [{ id }] = await casesOf(suiteId);
    const { page } = await web.open({ path: `/suites/${suiteId}/cases/${id}` });
    await page.getByLabel('Prompt', { exact: true }).fill('another prompt');
    await page.getByText('Not saved yet; kept in this tab.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Save the case' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    // What is saved can be taken back.
    await page.getByText('Case 1 saved.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await page.getByLabel('Prompt', { exact: true }).inputValue()) === 'p');
    await page.getByLabel('Prompt', { exact: true }).fill('another prompt');
    await page.getByRole('button', { name: 'Save the case' }).click();
    await until(async () => (await casesOf(suiteId))[0].prompt === 'another prompt');
    await page.goto(`${web.url}/suites/${suiteId}`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON', exact: true }).click();
    const exported = await textOf(await download);
    expect(exported).toContain(`"expected_params":${params}`);
    expect(exported).toContain('"prompt":"another prompt"');
    expect(exported).toContain('"source":"by hand"');
  });

  it('show faults at their fields, and in the editor while typing', async () => {
    const suiteId = await importSuite(weatherSuite(1));
    const [{ id }] = await casesOf(suiteId);
    const { page, axe, faults } = await web.open({ path: `/suites/${suiteId}/cases/${id}` });
    const city = page.getByLabel('city', { exact: true });
    expect(await city.inputValue()).toBe('Paris');
    await page.getByRole('button', { name: 'JSON', exact: true }).last().click();
    await retype(page, 'Arguments', '{"city": ');
    await page.getByText(/this is not JSON/).waitFor();
    expect(await page.getByRole('button', { name: 'Save the case' }).isDisabled()).toBe(true);
    await retype(page, 'Arguments', '{"city": {"$regex": "("}}');
    await page.locator('.field-error', { hasText: 'not JSON' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'JSON', exact: true }).last().click();
    await page.getByRole('button', { name: 'matches: how city is compared' }).waitFor();
    await city.press('Control+Enter');
    await page.getByRole('alert').waitFor();
    await page.getByRole('listitem').filter({ has: city }).locator('.field-error').first().waitFor();
    expect(await axe()).toEqual([]);
    await city.fill('Rom(e|a)');
    await page.getByRole('button', { name: 'Save the case' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect((await casesOf(suiteId))[0].expected_params).toEqual({ city: { $regex: 'Rom(e|a)' } });
    await page.getByRole('button', { name: 'matches: how city is compared' }).click();
    await page.getByLabel('Match', { exact: true }).selectOption('equals');
    await page.keyboard.press('Escape');
    await city.fill('Rome');
    await page.getByRole('button', { name: 'Save the case' }).click();
    await until(async () => (await casesOf(suiteId))[0].expected_params.city === 'Rome');
    expect(await casesOf(suiteId)).toMatchObject([{ expected_params: { city: 'Rome' } }]);
    expect(faults()).toEqual([]);
  });

  it('lose nothing when the session ends before saving', async () => {
    const suiteId = await importSuite(weatherSuite(1));
    const [{ id }] = await casesOf(suiteId);
    const { page, context } = await web.open({ path: `/suites/${suiteId}/cases/${id}?as=json` });
    const editor = page.getByRole('textbox', { name: 'The case as JSON' });
    await editor.waitFor();
    await retype(page, 'The case as JSON', '{"prompt": "Typed before it ended", "expected_tool": null}');
    await context.clearCookies();
    await page.keyboard.press('Control+Enter');
    const question = page.getByRole('dialog', { name: 'Your session has ended' });
    await question.getByLabel('Token').fill(web.client.token);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'hidden' });
    await editor.getByText('Typed before it ended').waitFor();
    expect(page.url()).toContain(`/cases/${id}?as=json`);
    await page.getByRole('button', { name: 'Save the case' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await casesOf(suiteId)).toMatchObject([{ prompt: 'Typed before it ended' }]);
  });

  it('create a chain with responses of its tools', async () => {
    const suiteId = await importSuite(weatherSuite(1));
    const { page, axe, faults } = await web.open({ path: `/suites/${suiteId}/cases/new` });
    await page.getByLabel('Prompt', { exact: true }).fill('The weather where Ann lives?');
    await page.getByLabel('The model may call other tools first').check();
    await page.getByLabel('Maximum requests').fill('4');
    await page.getByLabel('Allowed prerequisite tools').fill('get_weather');
    await retype(page, 'Mock responses', '{"get_weather": [{"temperature": 21.0}]}');
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Add the case' }).click();
    await page.getByRole('heading', { name: /^Case 2/ }).waitFor();
    expect((await casesOf(suiteId))[1]).toMatchObject({
      multi_turn: true,
      max_rounds: 4,
      valid_prerequisites: ['get_weather'],
      mock_responses: { get_weather: [{ temperature: 21 }] },
    });
    expect(faults()).toEqual([]);
  });

  it('expect several calls, any of several tools, or no call', async () => {
    const { tools, ...rest } = weatherSuite(1);
    const suiteId = await importSuite({ ...rest, tools: [...tools, { type: 'function', function: { name: 'book' } }] });
    const [{ id }] = await casesOf(suiteId);
    const { page, axe, faults } = await web.open({ path: `/suites/${suiteId}/cases/${id}` });
    const save = async (): Promise<any> => {
      await page.getByRole('button', { name: 'Save the case' }).click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      return (await casesOf(suiteId))[0];
    };
    await page.getByLabel('Expected', { exact: true }).selectOption('Several calls');
    await page.getByRole('button', { name: 'Add call' }).click();
    await page.getByRole('group', { name: 'Call 2' }).getByLabel('Tool').selectOption('book');
    await page.getByLabel('Order').selectOption('as listed');
    expect(await axe()).toEqual([]);
    const several = await save();
    expect(several.expected_calls).toMatchObject([
      { tool: 'get_weather', params: { city: 'Paris' } },
      { tool: 'book' },
    ]);
    expect(several.call_order).toBe('strict');
    await page.getByLabel('Expected', { exact: true }).selectOption('A call to any of several tools');
    await page.getByRole('checkbox', { name: 'book' }).check();
    await page.getByText('Not saved yet').waitFor();
    expect(await axe()).toEqual([]);
    expect((await save()).expected_tool).toEqual(['get_weather', 'book']);
    await page.getByRole('button', { name: 'equals: how city is compared' }).click();
    const how = page.getByRole('group', { name: 'How city is compared' });
    await how.getByLabel('Rule', { exact: true }).selectOption('similar text');
    await how.getByLabel('Similarity').fill('0.90');
    expect(await axe()).toEqual([]);
    expect((await save()).scoring_config).toEqual({ params: { city: { mode: 'fuzzy', threshold: 0.9 } } });
    await page.keyboard.press('Escape');
    await page.getByLabel('Expected', { exact: true }).selectOption('No call');
    expect(await save()).toMatchObject({ expected_tool: null });
    expect(faults()).toEqual([]);
  });

  it('show a viewer why nothing can be changed', async () => {
    const suiteId = await importSuite(weatherSuite(1));
    const [{ id }] = await casesOf(suiteId);
    const { page } = await web.open({ path: `/suites/${suiteId}/cases/${id}`, role: 'viewer' });
    const save = page.getByRole('button', { name: 'Save the case' });
    await save.waitFor();
    expect(await save.isDisabled()).toBe(true);
    expect(await save.getAttribute('title')).toBe('This needs an editor; you are a viewer.');
    expect(await page.getByLabel('Prompt', { exact: true }).isEditable()).toBe(false);
    await page.goto(`${web.url}/suites/${suiteId}`);
    await page.getByRole('button', { name: 'Add a case' }).waitFor();
    for (const [tab, name] of [
      ['Cases', 'Run'],
      ['Cases', 'Add a case'],
      ['Tools', 'Save tools'],
      ['Settings', 'Save settings'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Screens of the suite' }).getByRole('link', { name: tab }).click();
      const button = page.getByRole('button', { name, exact: true });
      await button.waitFor();
      expect([name, await button.isDisabled()]).toEqual([name, true]);
    }
  });

  it('change tools and settings, filter, and delete after a confirmation', async () => {
    const suiteId = await importSuite({ ...weatherSuite(120), name: 'To be deleted' });
    const { page, faults } = await web.open({ path: `/suites/${suiteId}` });
    const refusal = JSON.stringify({ status: 403, detail: 'Not now.' });
    const answer = { status: 403, contentType: 'application/problem+json', body: refusal };
    await page.route(/cursor=/, (route) => route.fulfill(answer), { times: 1 });
    await page.getByRole('button', { name: 'More cases' }).click();
    const cases = page.getByRole('region', { name: '120 cases' });
    await cases.getByText('Not now.').waitFor();
    await cases.getByRole('button', { name: 'Retry' }).click();
    await cases.getByText('case 119', { exact: true }).waitFor();
    await page.reload();
    await page.getByLabel('Search cases').fill('(117)');
    await page.getByText('1 case contains the text.').waitFor();
    await page
      .getByRole('navigation', { name: 'Screens of the suite' })
      .getByRole('link', { name: 'Settings' })
      .click();
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Saved: version 2.').waitFor();
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByRole('button', { name: 'Add a tool' }).click();
    // A tool has no name until somebody gives it one.
    await page.getByRole('button', { name: 'Save tools' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Name', { exact: true }).fill('added');
    await page.getByRole('button', { name: 'Save tools' }).click();
    await page.getByText('Saved: version 3.').waitFor();
    const { body } = await web.client.get(`/api/tool-suites/${suiteId}?cases=false`);
    expect(body).toMatchObject({ system_prompt: 'Be brief.', version: 3 });
    expect(body.tools.at(-1).function.name).toBe('added');
    await page.getByRole('link', { name: 'Versions', exact: true }).click();
    await page.getByRole('link', { name: 'Version 3' }).first().waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    // Its tools came from no server.
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Tune parameters', 'Tune prompts', 'Delete']);
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('is deleted with its tools and its 120 cases').waitFor();
    await page.getByRole('button', { name: 'Delete the suite' }).click();
    await page.getByRole('heading', { name: 'Suites' }).waitFor();
    await page.getByText('Suite To be deleted deleted.').waitFor();
    expect(await page.getByRole('link', { name: 'To be deleted' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'To be deleted' }).waitFor();
    await page.getByRole('button', { name: 'Actions of To be deleted' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the suite' }).click();
    // Whoever leaves the page does not take it back.
    await page.reload();
    await until(async () => (await web.client.get(`/api/tool-suites/${suiteId}`)).status === 404);
    await page.goto(`${web.url}/suites?name=nowhere`);
    await page.getByText('0 suites match.').waitFor();
    await page.getByLabel('Filter by name').fill('');
    await page.getByRole('region', { name: 'Suites', exact: true }).waitFor();
    await page.getByLabel('Filter by name').and(page.locator(':focus')).waitFor();
    expect(faults()).toEqual([]);
  });

  it('fit a window of 360 px', async () => {
    const suiteId = await importSuite(weatherSuite(2));
    const [{ id }] = await casesOf(suiteId);
    const paths = ['/suites', '/suites/new', `/suites/${suiteId}`, `/suites/${suiteId}/cases/${id}`];
    const screens = [...paths, `/suites/${suiteId}/cases/new?as=json`].map((path) => [path, path] as const);
    expect(await faultsOfScreens(web, screens, { width: 360, theme: 'dark' }, { axe: 'own', loads: true })).toEqual({});
  });
});
