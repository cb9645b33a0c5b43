import { readFileSync } from 'node:fs';
import { openGuideShell, type GuideShell } from '../guide.js';
import { choose, joinWeb, journeys, type TeamWeb } from '../web.js';

const text = readFileSync('docs/quick-start.md', 'utf8');
/** The commands that the document has the reader type, in order. */
const typed = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, lines]) => lines!);
/** The names that the reader should find on the page. */
const named = new Set([...text.matchAll(/_([A-Z][^_]*)_/g)].map(([, name]) => name!));

let web: TeamWeb;
let shell: GuideShell;

journeys('the quick start', () => {
  beforeAll(async () => {
    web = await joinWeb();
    shell = openGuideShell(web);
    await web.client.post('/api/providers', {
      key: 'simulator',
      base_url: `${web.simulator.url}/v1`,
      models: [{ id: 'careless-arguments' }],
    });
  });
  afterAll(() => shell.end());

  it('leads to a leaderboard on the command line, with a fake provider', async () => {
    const here = (lines: string): string =>
      lines
        .replace('providers add openai', `providers add openai --kind openai --url ${web.simulator.url}/v1`)
        .replaceAll('gpt-4o-mini', 'perfect-ish');
    let printed = '';
    for (const lines of typed) {
      printed = await shell.run(`(set -e\n${here(lines)}) 2>&1; echo "ended with $?"`);
      expect([lines, printed]).toEqual([lines, expect.stringContaining('ended with 0')]);
    }
    expect(printed).toMatch(/openai::perfect-ish +\d/);
    expect(printed).toContain('simulator::careless-arguments');
  });

  it('leads to it in the page, by the names it gives', async () => {
    const { page, faults } = await web.open();
    const nav = page.getByRole('navigation', { name: 'Main' });
    const known = (name: string): string => {
      expect(named).toContain(name);
      return name;
    };
    const press = (name: string) => page.getByRole('button', { name: known(name), exact: true }).click();
    const follow = (name: string) =>
      page
        .getByRole('link', { name: known(name), exact: true })
        .first()
        .click();

    await nav.getByRole('link', { name: known('Operate') }).click();
    await follow('Providers');
    await follow('New provider');
    await page.getByLabel(known('Host')).selectOption('OpenAI');
    await page.getByLabel('Key', { exact: true }).fill('mine');
    await page.getByLabel('Request format').selectOption('openai');
    await page.getByLabel('Address').fill(`${web.simulator.url}/v1`);
    await page.getByLabel('API key').fill('sk-of-a-reader-0123456789');
    await press('Save the provider');
    await press('Discover models');
    await page.getByRole('checkbox', { name: 'perfect-ish', exact: true }).check();
    await page.getByRole('button', { name: /^Add \d+ model/ }).click();
    await press('Save the provider');
    await page.getByText('Saved.').first().waitFor();
    await press('Test');
    await page.getByText('● answers', { exact: true }).waitFor();

    await nav.getByRole('link', { name: known('Suites') }).click();
    await follow('Import');
    const suite = /<<'END'\n([^]*?)^END$/m.exec(text)![1]!.replace('Support desk', 'Support desk in the page');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'my-suite.json', mimeType: 'application/json', buffer: Buffer.from(suite) });
    await press('Import');
    await page.getByRole('link', { name: 'Open the suite' }).click();

    await page.getByRole('link', { name: /where/i }).first().click();
    const tried = page.getByRole('region', { name: known('Try it') });
    await tried
      .getByRole('checkbox', { name: /mine::perfect-ish|perfect-ish/ })
      .last()
      .check();
    await tried.getByRole('button', { name: known('Try'), exact: true }).click();
    await tried
      .getByRole('article')
      .getByText(/passed/i)
      .first()
      .waitFor();

    await page.getByRole('link', { name: 'Toolmark' }).click();
    await follow('New run');
    await choose(page.getByLabel('Suite', { exact: true }), 'Support desk in the page');
    await page
      .getByRole('checkbox', { name: /perfect-ish/ })
      .last()
      .check();
    await press('Run');
    await page.getByRole('region', { name: 'Figures of each model' }).getByText(/n 3\)/).waitFor();
    expect(faults()).toEqual([]);
  });
});
