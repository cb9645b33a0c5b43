import { weatherSuite } from '../client.js';
import { startMcpServer } from '../http-server.js';
import { fillRun } from '../web-screens.js';
import { joinWeb, journeys, type Tab, type TeamWeb } from '../web.js';

let web: TeamWeb;

/** Checks that neither axe nor the CSP finds a fault in the current view, and that nothing is too wide. */
async function expectSound(tab: Tab): Promise<void> {
  expect([...(await tab.axe()), ...tab.faults()]).toEqual([]);
  expect(await tab.isTooWide()).toBe(false);
}

const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
const idIn = (href: string | null): string => /\/suites\/([\w-]+)/.exec(href ?? '')![1]!;

journeys('where suites come from', () => {
  beforeAll(async () => void (web = await joinWeb()), 120_000);

  describe('a new suite', () => {
    it('from a text is previewed, then created; its numbers stay as written', async () => {
      const tab = await web.open({ path: '/import' });
      const { page } = tab;
      const params = '{"n":5.0,"big":12345678901234567890}';
      const text =
        `{"name":"Numbers","tools":[${JSON.stringify(tool)}],` +
        `"test_cases":[{"prompt":"p","expected_tool":"f","expected_params":${params}}]}`;
      await page.getByLabel('Or its content as text').fill(text.replace('"f","exp', '"g","exp'));
      await page.getByRole('button', { name: 'Preview' }).click();
      await page
        .getByRole('alert')
        .getByText(/expected.tool.*No tool/i)
        .waitFor();
      await page.getByLabel('Or its content as text').fill(text);
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('The import would create the suite Numbers with 1 tool and 1 case.').waitFor();
      await expectSound(tab);
      await page.getByLabel('Or its content as text').press('Control+Enter');
      const open = page.getByRole('link', { name: 'Open the suite' });
      await open.waitFor();
      await expectSound(tab);
      const id = idIn(await open.getAttribute('href'));
      expect((await web.client.get(`/api/tool-suites/${id}`)).body).toMatchObject({
        name: 'Numbers',
        test_cases_count: 1,
      });
      const exported = await page.evaluate((path) => fetch(path).then((answer) => answer.text()), exportOf(id));
      expect(exported).toContain(`"expected_params":${params}`);
      await tab.context.close();
    });

    const exportOf = (id: string): string => `/api/tool-suites/${id}/export?format=json`;

    it('from a file has the format of its extension, and a file that is too large is not sent', async () => {
      const tab = await web.open({ path: '/import' });
      const { page } = tab;
      const file = page.getByLabel('File', { exact: true });
      await file.setInputFiles({ name: 'big.csv', mimeType: 'text/csv', buffer: Buffer.alloc(11 * 2 ** 20, 'x') });
      await page.getByText('the limit is 10.0 MiB').waitFor();
      const rows = 'prompt,expected_tool\nhi,f\n';
      await file.setInputFiles({ name: 'cases.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
      await page.getByLabel('Suite name').fill('From rows');
      expect(await page.getByLabel('Format').inputValue()).toBe('csv');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('does not describe its tools').waitFor();
      const [suite] = (await web.client.get('/api/tool-suites?lean=true&limit=1')).body.items;
      expect(suite).toMatchObject({ name: 'From rows', tools_count: 1, test_cases_count: 1 });
      await tab.context.close();
    });

    it('is the example in two clicks', async () => {
      const tab = await web.open({ path: '/import' });
      const { page } = tab;
      await page.getByRole('link', { name: 'Example', exact: true }).click();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('The suite has 3 cases.').waitFor();
      await tab.context.close();
    });
  });

  it('a viewer sees why nothing can be imported, in a narrow window too', async () => {
    const tab = await web.open({ path: '/import?from=example', role: 'viewer', width: 360, theme: 'dark' });
    const { page } = tab;
    await page.getByText('This needs an editor; you are a viewer.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await expectSound(tab);
    await page.getByRole('link', { name: 'MCP server' }).click();
    await page.getByText('This needs an editor; you are a viewer.').waitFor();
    await expectSound(tab);
    await tab.context.close();
  });

  it('a missing version says so, and leads to the suite', async () => {
    const id = await web.client.importSuite(weatherSuite(1));
    const tab = await web.open({ path: `/suites/${id}/versions/9` });
    await tab.page.getByRole('alert').getByText('Version 9 of the suite is not stored').waitFor();
    expect(await tab.page.getByRole('link', { name: 'To the suite' }).getAttribute('href')).toBe(`/suites/${id}`);
    await expectSound(tab);
    await tab.context.close();
  });

  it('a case shows its results in all runs, and leads to the result that explains it', async () => {
    const { suiteId, caseId } = await fillRun(web);
    const tab = await web.open({ path: `/suites/${suiteId}/cases/${caseId}` });
    const verdict = tab.page.getByRole('link', { name: /^sim::scripted:odd, .*: (failed|partial)$/ });
    await verdict.waitFor();
    await expectSound(tab);
    await verdict.click();
    await tab.page.waitForURL(/\/runs\/[\w-]+\/results\/2-0-0$/);
    // The list of cases has the same verdict, and can be narrowed to those that failed.
    await tab.page.goto(`${web.url}/suites/${suiteId}`);
    await tab.page.getByLabel('Failed last time').check();
    await tab.page.waitForURL(/failed=true/);
    await tab.page
      .getByRole('img', { name: /(failed|partial): .*scripted:odd/ })
      .first()
      .waitFor();
    await tab.page.getByRole('button', { name: 'Last run' }).click();
    await tab.page.getByRole('link', { name: 'Open the run' }).waitFor();
    await expectSound(tab);
    await tab.context.close();
  });

  describe('the tools of an MCP server', () => {
    let url: string;
    let tools: object[];
    const listed = (name: string, description = name): object => ({
      name,
      description,
      inputSchema: { type: 'object' },
    });

    beforeAll(async () => {
      url = await startMcpServer(() => tools);
    });

    it('become a suite, and are updated after a preview of the differences', async () => {
      tools = [listed('stays'), listed('changes'), listed('goes'), listed('unwanted')];
      const tab = await web.open({ path: '/import?from=mcp' });
      const { page } = tab;
      await page.getByLabel('Server address').fill(url);
      await page.getByLabel('Server address').press('Enter');
      await page.getByRole('heading', { name: 'changing 1 has 4 tools' }).waitFor();
      await page.getByLabel('unwanted', { exact: true }).uncheck();
      await page.getByLabel('Suite name').fill('Of a server');
      await expectSound(tab);
      await page.getByRole('button', { name: 'Create a suite of 3 tools' }).click();
      const open = page.getByRole('link', { name: 'Open the suite' });
      await open.waitFor();
      const id = idIn(await open.getAttribute('href'));
      await tab.context.close();

      tools = [listed('stays'), listed('changes', 'revised'), listed('comes')];
      const syncTab = await web.open({ path: `/suites/${id}/mcp` });
      const { page: sync } = syncTab;
      await sync.getByRole('button', { name: 'Compare', exact: true }).click();
      await sync.getByRole('heading', { name: 'Changes to apply' }).waitFor();
      await sync.getByText('Used by 1 case: draft: goes').waitFor();
      await sync.getByRole('row', { name: 'description changes revised' }).waitFor();
      await expectSound(syncTab);
      await sync.getByRole('button', { name: 'Apply' }).click();
      await sync
        .getByRole('alert')
        .getByText(/would no longer be valid/)
        .waitFor();
      await sync.getByLabel('Keep tools removed from the server').check();
      await sync.getByRole('button', { name: 'Apply' }).click();
      await sync.getByRole('heading', { name: 'Tools updated: suite version 2' }).waitFor();
      const { body } = await web.client.get(`/api/tool-suites/${id}?cases=false`);
      expect(body.tools.map((one: any) => one.function.name)).toEqual(['stays', 'changes', 'goes', 'comes']);
      await syncTab.context.close();
    });
  });

  it('versions of a suite show their changes, and an address shows the same to everybody', async () => {
    await web.client.post('/api/providers', {
      key: 'nowhere',
      base_url: 'http://127.0.0.1:9/v1',
      models: [{ id: 'a' }],
    });
    const id = await web.client.importSuite(weatherSuite(4));
    const path = `/api/tool-suites/${id}`;
    const [first, second] = (await web.client.get(path)).body.test_cases;
    await web.client.post('/api/tool-eval', { suite_id: id, models: ['nowhere::a'] });
    const hostile = '\u202e<b>bold</b> \u001b[31m';
    const { id: _id, position: _position, ...input } = first;
    await web.client.put(`${path}/cases/${first.id}`, { ...input, prompt: hostile + 'x'.repeat(40_000) });
    await web.client.delete(`${path}/cases/${second.id}`);
    await web.client.patch(path, { system_prompt: 'Be brief.' });

    const tab = await web.open({ path: `/suites/${id}/versions/1` });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Changes from version 1 to 4' }).waitFor();
    await page.getByText('Cases: 1 removed, 1 changed. Tools: none changed.').waitFor();
    await page.getByRole('row', { name: '/system_prompt not set Be brief.' }).waitFor();
    await page.getByText('case 0', { exact: true }).click();
    await page.getByText('<U+202E><b>bold</b>').waitFor();
    await page.getByText('case 1', { exact: true }).click();
    await page.getByText('"prompt": "What is the weather in Paris? (1)"').waitFor();
    await expectSound(tab);
    await page.setViewportSize({ width: 360, height: 640 });
    await expectSound(tab);
    await page.getByRole('link', { name: 'Version 4' }).click();
    await page.getByText('The current version.').waitFor();
    await page.locator('a:focus', { hasText: 'Version 4' }).waitFor();
    await page.getByLabel('Compare with').selectOption('1');
    await page.waitForURL(/\?with=1$/);
    const { pathname, search } = new URL(page.url());
    const other = await web.open({ path: pathname + search });
    await other.page.getByRole('heading', { name: 'Changes from version 1 to 4' }).waitFor();
    await page.goto(`${web.url}/suites/${id}/versions`);
    await page.getByText('1 case removed, 1 case changed, system prompt').waitFor();
    await page.getByRole('button', { name: 'Actions of version 1' }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await page.getByText('No run has version 4: it is lost.').waitFor();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('link', { name: 'Version 5' }).first().waitFor();
    expect((await web.client.get(path)).body).toMatchObject({
      system_prompt: null,
      test_cases: [first, second, {}, {}],
    });
    await Promise.all([tab, other].map(({ context }) => context.close()));
  });
});
