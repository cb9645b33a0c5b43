// The page of a run of a million results: the run itself, its failures, and all its results by case, each scrolled up
// and down. Prints the cost of that, and the tab's memory at the beginning, in the middle and at the end. Fails if a
// task takes more than 50 ms of CPU.
//   node bench/web/million.mjs [seconds in each view]
import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { TOKEN } from '../product.mjs';
import { MANY_FAILURES, MODELS, openLoader, runOfAMillion } from '../scale/million.mjs';
import { importThousandCases, withSystem } from '../system.mjs';
import { printTab, TAB_HEAD } from './table.mjs';
import { MAX_TASK_MS, openTab, startBrowser } from './tab.mjs';

const SECONDS = Number(process.argv[2] ?? 30);
/** About thirty rows at a time, so that pages of results are loaded and dropped. */
const STEP_PX = 1000;

const browser = await startBrowser();
try {
  await withSystem(async ({ simulator, api, call, databaseUrl, start }) => {
    const models = Array.from({ length: MODELS }, (_, n) => `instant:${n}`);
    await call('POST', '/api/providers', {
      key: 'sim',
      base_url: `${simulator.url}/v1`,
      models: models.map((id) => ({ id })),
    });
    const suiteId = await importThousandCases(call, {
      category: (n) => `category ${n % 20}`,
      tags: (n) => [`tag ${n % 50}`, `tag of case ${n}`],
    });
    const sql = await openLoader(databaseUrl);
    const { evalId } = await runOfAMillion({ call, sql, suiteId, models, become: MANY_FAILURES });
    await sql.query('ANALYZE result');
    await sql.end();
    await start('worker');
    while ((await call('GET', `/api/tool-eval/history/${evalId}/facets`)).status === 'counting') await delay(100);

    console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}`);
    console.log(TAB_HEAD);
    for (const [what, path] of [
      ['run', ''],
      ['failures first', '/results'],
      ['by case', '/results?order=case'],
      ['cases by model', '/matrix?show=all'],
    ])
      await read(what, `${api.url}/runs/${evalId}${path}#token=${TOKEN}`);
    console.log(`Load average ${loadavg()[0].toFixed(1)}`);
  });
} finally {
  await browser.close();
}

async function read(what, address) {
  const tab = await openTab(browser, address);
  await tab.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const held = [await tab.heapMb()];
  const costs = [];
  for (let half = 0; half < 2; half++) {
    const endsAt = performance.now() + (SECONDS * 1000) / 2;
    const grid = tab.page.getByRole('grid').first();
    // The second half is at the end of the rows that the list shows.
    if (half === 1 && (await grid.count()) > 0) await grid.press('End');
    costs.push(await tab.measure(() => performance.now() > endsAt, STEP_PX));
    held.push(await tab.heapMb());
  }
  costs.forEach((cost, half) => printTab(`${what}, ${half === 0 ? 'first' : 'second'} half`, cost));
  console.log(`MB held: ${held.map((mb) => mb.toFixed(1)).join(', ')}`);
  for (const fault of tab.faults) console.log(`The page says: ${fault}`);
  if (tab.faults.length > 0 || costs.some(({ longest }) => longest.cpuMs > MAX_TASK_MS)) process.exitCode = 1;
  await tab.close();
}
