import type { Locator, Page } from 'playwright-core';
import { PHRASES, readyForPromptTunes, ROUTE, songSuite } from '../prompt-tune-system.js';
import { until } from '../until.js';
import { untilTuned } from '../web-screens.js';
import { choose, joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let tunes: Awaited<ReturnType<typeof readyForPromptTunes>>;

const MODEL = 'prompt-sensitive:web';
const META_MODEL = 'meta@300:web';

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const suiteOf = (name: string): Promise<string> => web.client.importSuite({ ...songSuite(60), name });
const keep = async (input: object) => (await web.client.post('/api/prompt-versions', input)).body;

async function choosing(page: Page, name: string): Promise<void> {
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name }).click();
}

journeys('tunes of prompts and prompt versions', () => {
  beforeAll(async () => {
    web = await joinWeb();
    tunes = await readyForPromptTunes(web, ['web'], { metaMs: 300 });
  });

  it('are set up by hand with an estimate, watched to their verdict, and show the lineage of texts', async () => {
    const { page, faults, axe } = await web.open({ path: '/tunes' });
    await page.getByRole('navigation', { name: 'Kinds of tunes' }).getByRole('link', { name: 'Prompts' }).click();
    await page.getByText('No prompt tunes yet.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Tune prompts' }).first().click();
    await page.getByText('Choose the meta model.').waitFor();
    await choose(page.getByLabel('Suite', { exact: true }), 'Weather, alarms, songs');
    await page.getByRole('checkbox', { name: MODEL }).check();
    await choose(page.getByLabel('Meta model', { exact: true }), META_MODEL);
    const estimate = page.getByRole('complementary', { name: 'Estimate' });
    await estimate.getByText('4 texts are tuned').waitFor();
    await estimate.getByText(/^about \d+$/).waitFor();

    // Faults are shown at their fields, and expand the sections around them.
    const holdout = page.getByLabel('Held-out share');
    await holdout.fill('0.01');
    await page
      .getByRole('group', { name: 'Measure' })
      .getByText(/holds out \d+ of 60 cases/)
      .waitFor();
    expect(await holdout.getAttribute('aria-invalid')).toBe('true');
    await holdout.fill('0.30');
    await page.getByText('Mode settings').click();
    const most = page.getByLabel('Maximum evaluations');
    await most.fill('10');
    await page
      .getByRole('group', { name: 'Mode' })
      .getByText(/must be at least \d+ for this suite/)
      .waitFor();
    expect(await axe()).toEqual([]);
    await most.fill('300');

    // An empty base differs from the suite's.
    await page.getByLabel('Starting system prompt').selectOption('own');
    expect(await page.getByLabel('System prompt text').inputValue()).toBe('');
    // By keyboard: the estimate next to it grows in the meantime, and a click on a moving element misses it.
    await page.getByText('Individual tools').press('Enter');
    await page.getByRole('checkbox', { name: 'The descriptions of all tools' }).uncheck();
    const single = (tool: string) => page.getByRole('group', { name: tool }).getByLabel('its description');
    await single('get_weather').check();
    await single('set_alarm').check();
    await estimate.getByText('3 texts are tuned').waitFor();
    await page.reload();
    expect(await most.inputValue()).toBe('300');
    expect(await page.getByLabel('System prompt text').inputValue()).toBe('');
    await page.getByText('Meta model requests').click();
    await page.getByLabel('Meta model temperature').fill('0.50');
    await estimate.getByText('3 texts are tuned').waitFor();
    await button(page, 'Tune').click();

    await page.getByRole('heading', { level: 1, name: / on Weather, alarms, songs$/ }).waitFor();
    const tuneId = page.url().split('/').at(-1)!;
    await page.getByText(/Iteration \d+: \d accepted, \d rejected; \d+ on the front\./).waitFor({ timeout: 60_000 });
    await page.getByText(/The best so far is candidate \d+, with \d+\.\d % on the selection cases/).waitFor();
    const front = page.getByRole('region', { name: 'List of leading candidates' });
    await front
      .getByRole('row', { name: /\d+\.\d %/ })
      .first()
      .waitFor();
    await untilTuned(web.client, tuneId, 'prompt-tune');
    const tune = await tunes.tune(tuneId);
    expect(tune.input).toMatchObject({
      holdout: 0.3,
      max_evals: 300,
      base: { system_prompt: '', tools: {} },
      components: ['system_prompt', 'tools/get_weather/description', 'tools/set_alarm/description'],
      meta_params: { temperature: 0.5 },
    });
    expect(tune.outcome).toBe('confirmed');
    await page.locator('.sentence').getByText(tune.text!).waitFor();
    await page.getByRole('figure', { name: /minus base on held-out cases/ }).waitFor();
    const found = page.getByRole('region', { name: 'Result' });
    await found.locator('ins').getByText(PHRASES[1].phrase).waitFor();

    await page.getByRole('list', { name: 'Lineage' }).waitFor();
    const candidates = await tunes.candidates(tuneId);
    const child = candidates.find(({ parents, state }) => parents.length > 0 && state !== 'rejected')!;
    const [parent] = child.parents;
    await page.getByText(`Candidate ${child.candidate}`, { exact: true }).click();
    const changes = page.getByRole('region', {
      name: `Changes of candidate ${child.candidate} from candidate ${parent}`,
    });
    await changes.locator('ins').first().waitFor();
    const request = page.getByRole('link', { name: 'Request', exact: true }).first();
    expect(await request.getAttribute('href')).toBe(`/runs/${child.meta!.eval_id}/results`);
    await front
      .getByRole('button', { name: /^Changes/ })
      .first()
      .click();
    await page.getByRole('region', { name: `Candidate ${tune.best}`, exact: true }).waitFor();
    expect(await axe()).toEqual([]);
    for (const { reason, parents } of candidates.filter(({ state }) => state === 'rejected').slice(0, 1)) {
      await page.getByText(new RegExp(`^\\d+ rejected, from candidate ${parents[0]}$`)).click();
      await page.getByText(reason!).first().waitFor();
    }
    await page.getByRole('link', { name: 'Tunes', exact: true }).click();
    await page.getByRole('navigation', { name: 'Kinds of tunes' }).getByRole('link', { name: 'Prompts' }).click();
    await page.getByRole('link', { name: / on Weather, alarms, songs/ }).waitFor();
    expect(faults()).toEqual([]);
  });

  it('lead from the tune to a run with the version, and to the suite that applies it', async () => {
    const [{ id: tuneId, prompt_version_id: promptId }] = (await tunes.get(`${ROUTE}/history`)).items;
    const { page, faults, axe } = await web.open({ path: `/tunes/prompts/${tuneId}` });
    await page.getByRole('link', { name: 'Run with this version' }).click();
    await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
    await page.locator(`option[value="${promptId}"]`).waitFor({ state: 'attached' });
    expect(await page.getByLabel('Prompt version').inputValue()).toBe(promptId);
    await page.getByRole('checkbox', { name: MODEL }).check();
    await button(page, 'Run').click();
    await page.waitForURL(/\/runs\/[\da-f-]{36}$/);
    const runId = page.url().split('/').at(-1)!;
    expect((await tunes.get(`/api/tool-eval/history/${runId}`)).config.prompt_version_id).toBe(promptId);
    // A run with the same settings uses the same version; another choice discards this version's texts.
    await page.goto(`${web.url}/runs/new?from=${runId}`);
    expect(await page.getByLabel('Prompt version').inputValue()).toBe(promptId);
    await page.getByText('More settings').click();
    await page.getByText("Texts instead of the suite's").waitFor();
    expect(await page.getByLabel('Texts as JSON').inputValue()).toContain('base_prompt');
    await page.getByLabel('Prompt version').selectOption('');
    expect(await page.getByLabel('Texts as JSON').inputValue()).toBe('');

    await page.goto(`${web.url}/tunes/prompts/${tuneId}`);
    await page.getByRole('link', { name: 'Use in the suite' }).click();
    const trail = page.getByRole('navigation', { name: 'Breadcrumb' });
    await trail.getByRole('link', { name: 'Prompts', exact: true }).waitFor();
    await choosing(page, 'Use in the suite');
    const dialog = page.getByRole('dialog', { name: 'Use these texts in the suite?' });
    await dialog.locator('ins').getByText(PHRASES[1].phrase).waitFor();
    await dialog.getByText(/This changes/).waitFor();
    expect(await axe()).toEqual([]);
    // Another user changes the suite in the meantime.
    await web.client.patch(`/api/tool-suites/${tunes.suiteId}`, { pass_threshold: 0.9 });
    await dialog.getByRole('button', { name: 'Change the suite' }).click();
    await dialog.getByText(/The suite has changed: it is now version 2/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await choosing(page, 'Use in the suite');
    await dialog.getByRole('button', { name: 'Change the suite' }).click();
    const done = page.getByRole('dialog', { name: 'The suite is updated' });
    await done.getByRole('button', { name: 'To the suite' }).click();
    await page.getByRole('heading', { level: 1, name: 'Weather, alarms, songs' }).waitFor();
    const suite = await tunes.get(`/api/tool-suites/${tunes.suiteId}`);
    expect(suite).toMatchObject({ version: 3 });
    const { components } = await tunes.get(`/api/prompt-versions/${promptId}`);
    expect(suite.system_prompt ?? '').toBe(components.system_prompt);
    expect(suite.tools[0].function.description).toContain(PHRASES[1].phrase);
    expect(faults()).toEqual([]);
  });

  it('are written by hand, named, found by their suite and tag, compared and deleted', async () => {
    const suiteId = await suiteOf('By hand');
    const { page, faults, axe } = await web.open({ path: `/suites/${suiteId}` });
    await page.getByRole('link', { name: 'prompt versions' }).click();
    await page.getByText('No prompt versions match.').waitFor();
    await page.getByRole('link', { name: 'New version' }).click();
    await page.getByLabel('system_prompt').fill('You call one tool. <b>At once.</b>');
    await page.getByLabel('Label').fill('Strict');
    await page.getByLabel('Tags').fill('Not a tag!');
    await button(page, 'Save version').click();
    await page
      .getByText(/must be 1 to 50 of a-z/)
      .first()
      .waitFor();
    expect(await page.getByLabel('Tags').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Tags').fill('candidate');
    await button(page, 'Save version').click();
    await page.getByRole('heading', { level: 1, name: 'Strict' }).waitFor();
    await page.getByRole('heading', { name: 'Changes from the current suite' }).waitFor();
    await page.locator('ins').first().waitFor();
    expect(await page.getByText('<b>At once.</b>').count()).toBeGreaterThan(0);

    await choosing(page, 'New version from this');
    await page.getByLabel('tools/play_song/description').fill('Play one song by its title');
    await button(page, 'Save version').click();
    await page.getByRole('heading', { level: 1, name: /^version / }).waitFor();
    const changes = page.getByLabel('Changes in tools/play_song/description');
    await changes.waitFor();
    expect(await page.getByLabel('Changes in system_prompt').count()).toBe(0);
    await page.getByRole('link', { name: 'Changes from the current suite' }).click();
    await page.getByLabel('Changes in system_prompt').waitFor();
    await page.getByLabel('Tags').fill('candidate\nbest');
    await button(page, 'Save names').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await axe()).toEqual([]);

    await page.goto(`${web.url}/prompts?suite=${suiteId}`);
    const list = page.getByRole('region', { name: 'List of prompt versions' });
    await list.getByText('candidate, best').waitFor();
    expect(await list.getByRole('row').count()).toBe(3);
    await page.getByLabel('Tag', { exact: true }).fill('best');
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: 'Strict' }).waitFor({ state: 'detached' });
    await list.getByRole('link', { name: /^version / }).click();
    await choosing(page, 'Delete');
    await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor();
    await button(page, 'Undo').click();
    expect((await tunes.get(`/api/prompt-versions?suite_id=${suiteId}`)).items).toHaveLength(2);
    await page.goBack();
    await choosing(page, 'Delete');
    await button(page, 'Undo').waitFor();
    // It is carried out when the page is left.
    await page.goto(`${web.url}/suites`);
    await until(async () => (await tunes.get(`/api/prompt-versions?suite_id=${suiteId}`)).items.length === 1);
    expect(faults()).toEqual([]);
  });

  it('are cancelled, resumed, copied and deleted', async () => {
    // The meta model does not answer before the tune is cancelled.
    await web.control(META_MODEL, { on: false, status: 'hang' });
    const { tune_id: tuneId } = await tunes.submit('web', { mode: 'quick', variants: 3, holdout: 0.3, cache: 'off' });
    const { page, faults } = await web.open({ path: '/' });
    await page.getByRole('link', { name: 'Prompt tune' }).click();
    await page.getByRole('heading', { level: 1, name: / on / }).waitFor();
    await button(page, 'Cancel').click();
    await page.getByText('cancelled').first().waitFor();
    await web.control(META_MODEL, { on: true });
    await button(page, 'Resume').click();
    await page.getByText('completed').waitFor({ timeout: 90_000 });
    await page.getByRole('link', { name: 'Tune again' }).click();
    await page.getByRole('heading', { level: 1, name: 'New prompt tune' }).waitFor();
    expect(await page.getByRole('radio', { name: /quick/ }).isChecked()).toBe(true);
    await page.getByText('Mode settings').click();
    expect(await page.getByLabel('Variants').inputValue()).toBe('3');
    expect(await page.getByLabel('Meta model', { exact: true }).inputValue()).toBe(META_MODEL);
    await page.goBack();
    await button(page, 'More actions').click();
    await page.getByRole('menuitem', { name: 'Delete the tune' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this tune?' })
      .getByRole('button', { name: 'Delete the tune' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Tunes' }).waitFor();
    await until(async () => (await web.client.get(`${ROUTE}/history/${tuneId}`)).status === 404);
    expect(faults()).toEqual([]);
  });

  it('are open to a viewer, with controls that name the role they need', async () => {
    const suiteId = await suiteOf('Looked at');
    const { id } = await keep({ suite_id: suiteId, components: { system_prompt: 'Be brief.' }, label: 'Brief' });
    const [{ id: tuneId }] = (await tunes.get(`${ROUTE}/history`)).items;
    const { page } = await web.open({ path: '/tunes/new-prompt', role: 'viewer' });
    const isRefused = async (control: Locator): Promise<void> => {
      await control.waitFor();
      expect(await control.isDisabled()).toBe(true);
      expect(await control.getAttribute('title')).toContain('editor');
    };
    await isRefused(button(page, 'Tune'));
    await page.goto(`${web.url}/prompts/${id}`);
    await page.getByText('Be brief.').first().waitFor();
    await isRefused(button(page, 'Save names'));
    await button(page, 'More actions').click();
    for (const name of [/^Use in the suite/, /^Delete/])
      expect(await page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');
    await page.goto(`${web.url}/tunes/prompts/${tuneId}`);
    await page.getByRole('list', { name: 'Lineage' }).waitFor();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(await page.getByRole('link', { name: 'Run with this version' }).count()).toBe(0);
    await button(page, 'More actions').click();
    for (const name of ['Rename', 'Delete the tune'])
      expect(await page.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
  });
});
