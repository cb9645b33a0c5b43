// The wait of somebody who opens the list of runs over a slow network: from the address, or from another screen, to the
// first row. Every request takes `LATENCY_MS` longer than it does on this machine.
//   node bench/web/first-row.mjs [rounds] [another checkout, built, to compare with, in turn]
import { cpus, loadavg } from 'node:os';
import { startStandIn } from './stand-in.mjs';
import { startBrowser } from './tab.mjs';

const LATENCY_MS = 150;
const WARM_UP = 1;
/** Taken in the page: from the last key or click, or from the start of the navigation. */
const OBSERVE = `
  globalThis.actedAt = 0;
  for (const type of ['keydown', 'click']) addEventListener(type, () => (actedAt = performance.now()), true);
  globalThis.rowAt = undefined;
  new MutationObserver(() => {
    if (document.querySelector('[aria-label="List of runs"] tbody tr')) rowAt ??= performance.now();
  }).observe(document, { childList: true, subtree: true });`;
const [rounds = '10', other] = process.argv.slice(2);

const servers = { this: await startStandIn({ results: 1000, perSecond: 1 }) };
if (other) servers.other = await startStandIn({ results: 1000, perSecond: 1, checkout: other });
const browser = await startBrowser();
try {
  const taken = {};
  for (let round = 0; round < WARM_UP + Number(rounds); round++)
    for (const [name, { url }] of Object.entries(servers))
      for (const [how, ms] of Object.entries({
        'the address': await fromAddress(url),
        'a key': await fromSuites(url, (page) => page.keyboard.type('gr')),
        'a click': await fromSuites(url, (page) => page.getByRole('link', { name: 'Runs', exact: true }).click()),
      }))
        if (round >= WARM_UP) ((taken[how] ??= {})[name] ??= []).push(ms);

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; load average ${loadavg()[0].toFixed(1)}`);
  console.log(`ms to the first row of /runs at ${LATENCY_MS} ms of latency, median of ${rounds} (least to most)`);
  for (const [how, ofEach] of Object.entries(taken)) {
    const medians = Object.values(ofEach).map(median);
    const texts = Object.entries(ofEach).map(
      ([name, each]) => `${name} ${median(each)} (${Math.min(...each)} to ${Math.max(...each)})`,
    );
    const ratio = medians.length > 1 ? `; ratio ${(medians[0] / medians[1]).toFixed(2)}` : '';
    console.log(`by ${how}: ${texts.join(', ')}${ratio}`);
  }
} finally {
  await browser.close();
  for (const server of Object.values(servers)) await server.close();
}

/** With an empty cache, as on the first visit. */
async function fromAddress(url) {
  const page = await slowTab();
  await page.goto(`${url}/runs`);
  return untilRow(page);
}

/** From the list of suites, when it is at rest. */
async function fromSuites(url, act) {
  const page = await slowTab();
  await page.goto(`${url}/suites`);
  await page.locator('main h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  await act(page);
  return untilRow(page);
}

async function slowTab() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  return page;
}

async function untilRow(page) {
  await page.getByRole('region', { name: 'List of runs' }).locator('tbody tr').first().waitFor();
  const ms = await page.evaluate('Math.round(rowAt - actedAt)');
  await page.context().close();
  return ms;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
