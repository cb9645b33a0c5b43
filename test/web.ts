import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { chromium, type Browser, type BrowserContext, type Download, type Locator, type Page } from 'playwright-core';
import type { Client } from './client.js';
import { afterFile } from './after-file.js';
import { joinSystem, startSystem, type System, type TeamSystem } from './system.js';

const require = createRequire(`${process.cwd()}/package.json`);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const TIMEOUT_MS = 60_000;

export interface Web {
  /** The address of the page. */
  url: string;
  /** A tab, signed in unless its token is null. With `role` a new token is created; otherwise the owner's is used. */
  open(options?: OpenOptions): Promise<Tab>;
}
export type TeamWeb = TeamSystem & Web;
export type WebSystem = System & Web;
export type Theme = 'light' | 'dark';
export interface OpenOptions {
  path?: string;
  role?: 'viewer' | 'editor' | 'owner';
  /** Null: nobody is signed in. */
  token?: string | null;
  theme?: Theme;
  width?: number;
  height?: number;
}
export interface Tab {
  page: Page;
  context: BrowserContext;
  /** CSP violations, console errors and script errors so far. */
  faults(): string[];
  /** axe's findings in the current view, in both themes unless one is given; each with its location. */
  axe(theme?: Theme): Promise<string[]>;
  /** Whether the view is wider than the window. */
  isTooWide(): Promise<boolean>;
}

/** A tab keeps listening and rendering. Tabs opened by a test are closed at its end. */
let ofTest: BrowserContext[] = [];

/** Tests in a real browser. Without one they are skipped with a notice; in CI that is a failure. */
export function journeys(name: string, define: () => void): void {
  if (process.env.TOOLMARK_CHROMIUM_SERVER)
    return describe(name, () => {
      beforeEach(() => void (ofTest = []));
      afterEach(() => Promise.all(ofTest.map((context) => context.close())));
      define();
    });
  if (process.env.CI) it(`${name}: CI has a browser`, () => expect(process.env.TOOLMARK_CHROMIUM_SERVER).toBeTruthy());
  else it.todo(`${name} (left out: no Chromium on the PATH, and no TOOLMARK_CHROMIUM)`);
}

/** A new team for the test file in the shared system, and a browser. */
export const joinWeb = async (): Promise<TeamWeb> => inBrowser(await joinSystem());

/** The whole system and a browser. Both end with the test file. */
export const startWeb = async (options?: { workers?: number }): Promise<WebSystem> =>
  inBrowser(await startSystem(options));

const inBrowser = async <Of extends TeamSystem>(system: Of): Promise<Of & Web> => ({
  ...system,
  ...(await openWeb(system.client)),
});

/** The page of an API. */
export async function openWeb(client: Client): Promise<Web> {
  const browser = await openBrowser();
  return { url: client.url, open: (options) => openTab(browser, client, options) };
}

/**
 * The browser that all test files share (scripts/chromium-server.mjs). What is opened in it is closed with the test
 * file.
 */
async function openBrowser(): Promise<Browser> {
  const browser = await chromium.connect(process.env.TOOLMARK_CHROMIUM_SERVER!);
  afterFile(() => browser.close());
  return browser;
}

async function openTab(browser: Browser, client: Client, options: OpenOptions = {}): Promise<Tab> {
  const { path = '/', role, theme = 'light', width = 1280, height = 800 } = options;
  const { token = role ? await tokenOf(client, role) : client.token } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  ofTest.push(context);
  const faults: string[] = [];
  await context.exposeBinding('reportViolation', (_source, text: string) => void faults.push(text));
  // Code run by `page.evaluate` is exempt from the CSP; listeners of an init script are not.
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`);
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('console', (message) => {
    // The browser itself reports refused requests; the tests check what the page makes of them.
    if (message.type() === 'error' && !/^Failed to load resource|^WebSocket connection/.test(message.text()))
      faults.push(`console: ${message.text()}`);
  });
  await page.goto(`${client.url}${path}${token === null ? '' : `#token=${token}`}`);
  await page
    .locator('main')
    .first()
    .waitFor()
    .catch(async (cause: Error) => {
      const shown = await page.locator('body').innerHTML();
      throw new Error(`${cause.message}\nThe page was: ${shown}\n${faults.join('\n')}`, { cause });
    });
  return {
    page,
    context,
    faults: () => faults,
    axe: async (only) => {
      const found = await axeIn(page, only ?? 'light');
      // Another theme changes only colours.
      if (only === undefined) found.push(...(await axeIn(page, 'dark', ['color-contrast'])));
      await page.emulateMedia({ colorScheme: theme });
      return found;
    },
    isTooWide: () => page.evaluate('document.documentElement.scrollWidth > innerWidth + 1'),
  };
}

async function tokenOf(client: Client, role: string): Promise<string> {
  const { body } = await client.post('/api/tokens', { name: `a ${role}`, role, user: `a ${role}` });
  return body.token as string;
}

/** The file stays with the browser, which may use different folders. */
export const textOf = async (download: Download): Promise<string> => text(await download.createReadStream());

/** Finds something in a combobox by its name, and chooses it. */
export async function choose(field: Locator, name: string): Promise<void> {
  await field.fill(name);
  await field.page().getByRole('option', { name }).first().click();
}

const MAX_TABS = 200;

/** Moves the focus with the Tab key alone, as a user without a mouse does. */
export async function tabTo(target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await target.page().keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} times Tab did not lead to ${String(target)}`);
}

interface AxeFinding {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

async function axeIn(page: Page, theme: Theme, rules?: string[]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme });
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  const options = JSON.stringify(
    rules ? { runOnly: rules, resultTypes: ['violations'] } : { resultTypes: ['violations'] },
  );
  const found = (await page.evaluate(`axe.run(${options}).then(({violations}) => violations)`)) as AxeFinding[];
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${theme}: ${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Chooses an action from the menu of a screen, or of a row. */
export async function act(page: Page, action: string, menu: string | RegExp = 'More actions'): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: action }).click();
}
