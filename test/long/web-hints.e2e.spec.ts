import type { Locator, Page } from 'playwright-core';
import { weatherSuite } from '../client.js';
import { untilRunCompleted } from '../until-ended.js';
import { joinWeb, journeys, type Tab, type TeamWeb } from '../web.js';

let web: TeamWeb;
/** Runs, by the simulated model that provokes the hint. */
const runs: Record<string, string> = {};
let tab: Tab;

const post = async (path: string, body: object) => (await web.client.post(path, body)).body;

async function begin(name: string, input: object): Promise<void> {
  runs[name] = (await post('/api/tool-eval', { models: [`sim::${name}`], name, ...input })).eval_id;
}

/** A suite with a tool from an MCP server, whose drafted case went into runs unchanged. */
async function draftedSuite(): Promise<string> {
  const tools = [
    { name: 'list_issues', description: 'Lists things.', inputSchema: { type: 'object', properties: {} } },
  ];
  const { suite_id: suiteId } = await post('/api/mcp/import', { tools, suite_name: 'Tracker', generate_cases: true });
  const { body: cases } = await web.client.get(`/api/tool-suites/${suiteId}/cases`);
  const { id, position: _position, draft: _draft, ...written } = cases.items[0];
  await web.client.put(`/api/tool-suites/${suiteId}/cases/${id}`, written);
  return suiteId;
}

/** Opens the run of a model, and finds its hint on the page. */
async function hintOf(name: string): Promise<{ page: Page; hint: Locator }> {
  const { page } = tab;
  await page.goto(`${web.url}/runs/${runs[name]}`);
  const hints = page.getByRole('region', { name: /worth a look/i });
  return { page, hint: hints.getByRole('listitem') };
}

journeys('what a run says by itself', () => {
  beforeAll(async () => {
    web = await joinWeb();
    const models = ['careless-arguments', 'text-only', 'json-in-name', 'no-required', 'perfect-ish'];
    const provider = (key: string, ids: string[]) => ({
      key,
      base_url: `${web.simulator.url}/v1`,
      models: ids.map((id) => ({ id })),
    });
    await post('/api/providers', provider('sim', models));
    await post('/api/providers', provider('down', ['wrong-key']));
    const { suite_id: suiteId } = await post('/api/tool-eval/import', weatherSuite(20));
    const suite = { suite_id: suiteId };
    await Promise.all([
      begin('careless-arguments', suite),
      begin('text-only', { ...suite, tool_choice: 'auto' }),
      begin('json-in-name', suite),
      begin('no-required', suite),
      begin('perfect-ish', suite),
      begin('wrong-key', { ...suite, models: ['down::wrong-key'] }),
      begin('drafted', { suite_id: await draftedSuite(), models: ['sim::text-only'] }),
    ]);
    await Promise.all(Object.values(runs).map((run) => untilRunCompleted(web.client, run)));
    tab = await web.open();
  });

  it('is nothing when all is well', async () => {
    const { page, hint } = await hintOf('perfect-ish');
    await page.getByRole('figure', { name: /Results by score/ }).waitFor();
    expect(await hint.count()).toBe(0);
  });

  it('is that expectations may be too strict, with the most frequent mismatch', async () => {
    const { page, hint } = await hintOf('careless-arguments');
    await hint.getByText(/too strict.*The most frequent mismatch is/).waitFor();
    expect(await hint.innerText()).toMatch(/mismatch is \S*city of get_weather, \d+ times/);
    await hint.getByRole('link', { name: 'See all' }).click();
    const drawn = page.getByRole('region', { name: 'Drawn results' });
    await drawn.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
  });

  it('is to try required, in a new run that has it', async () => {
    const { page, hint } = await hintOf('text-only');
    await hint.getByText(/mostly with text instead of a call/).waitFor();
    await hint.getByRole('link', { name: 'Run again with required' }).click();
    await page.getByRole('checkbox', { name: /text-only/ }).waitFor();
    expect(await page.getByLabel('Tool choice').inputValue()).toBe('required');
    expect(await page.getByRole('checkbox', { name: /text-only/ }).isChecked()).toBe(true);
  });

  it('is that calls came outside the native format, and in which one', async () => {
    const { page, hint } = await hintOf('json-in-name');
    await hint.getByText(/outside the native format, in 100 %.*in the name of the function/).waitFor();
    await hint.getByRole('link', { name: 'Repaired calls' }).click();
    await page.getByText('20 results.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter format: repaired' }).waitFor();
  });

  it('is that requests to the model were adapted, how often and why', async () => {
    const { hint } = await hintOf('no-required');
    await hint.getByText(/20 of 20 results that expect a call were asked with auto instead of required/).waitFor();
    expect(await hint.innerText()).toMatch(/sim::no-required.*(refuse|support|accept)/s);
  });

  it("is the provider's answer when every item errored, and whether it answers now", async () => {
    const { page, hint } = await hintOf('wrong-key');
    await hint.getByText(/Every item of .*down::wrong-key.* errored/).waitFor();
    await hint.getByText(/Incorrect API key/).waitFor();
    expect(await tab.axe()).toEqual([]);
    await hint.getByRole('button', { name: /Test provider down/ }).click();
    await hint.getByText(/It does not answer: .*Incorrect API key/).waitFor();
    await web.client.patch('/api/providers/down', { models: [{ id: 'perfect-ish' }] });
    await hint.getByRole('button', { name: /Test provider down/ }).click();
    await hint.getByText(/It answers now/).waitFor();
    await hint.getByRole('link', { name: 'Errored results' }).click();
    await page.getByText('20 results.').waitFor();
  });

  it('is that a prompt was drafted from a description, when no model passes', async () => {
    const { page, hint } = await hintOf('drafted');
    await hint.getByText(/1 case that no model passed has a prompt drafted/).waitFor();
    await hint.getByRole('link', { name: 'Write its prompt' }).click();
    await page.getByLabel('Prompt', { exact: true }).waitFor();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toMatch(/^Write here what a user would say/);
    expect(tab.faults()).toEqual([]);
  });
});
