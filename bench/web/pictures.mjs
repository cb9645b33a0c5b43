// The screens with pictures of real shapes (bench/web/shapes.mjs, which must be up): how long until the picture is
// there, and the longest task until then and while somebody scrolls. Fails if a task takes more than 50 ms of CPU.
//   TOOLMARK_DATA_DIR=<.toolmark/shapes> PORT=<8600> node bench/web/pictures.mjs [screen ...]
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from '../../scripts/set-up.mjs';
import { TOKEN } from '../product.mjs';
import { longestTask, MAX_TASK_MS, startBrowser } from './tab.mjs';

const SCROLLS = 30;
const SCROLL_PX = 400;
const SCROLL_GAP_MS = 100;
const places = JSON.parse(
  readFileSync(join(resolve(process.env.TOOLMARK_DATA_DIR ?? join(root, '.toolmark/shapes')), 'shapes.json'), 'utf8'),
);
const url = `http://127.0.0.1:${process.env.PORT ?? 8600}`;
/** Each screen, and what it shows when its picture is there. */
const SCREENS = {
  'run of 60 models': [places.models.run, 'main figure svg'],
  'run of 10,000 x 6': [places.cases.run, 'main figure svg'],
  'cases, 200 x 60': [places.models.matrix, 'main figure [tabindex]'],
  'cases, 10,000 x 6': [places.cases.matrix, 'main figure [tabindex]'],
  'failures of 10,000 x 6': [places.cases.failures, 'main table tbody tr, main [role=tree]'],
  'result of 10,000 x 6': [places.cases.result, 'main h2'],
  'suite of 10,000 cases': [places.cases.suite, 'main table tbody tr'],
  'experiment of 400 nights': [places.nights.experiment, 'main figure svg'],
  'compare 2 runs of 3': [places.nights['compare two'], 'main figure svg'],
  'compare 6 runs of 3': [places.nights['compare six'], 'main figure svg'],
  'compare 40 models': [places.models.compare, 'main figure svg'],
  'tune of 32 combinations': [places.tunes['three parameters'], 'main figure [tabindex]'],
};

const asked = process.argv.slice(2);
const browser = await startBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}/#token=${TOKEN}`);
  await page.locator('main h1').first().waitFor();
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; load average ${loadavg()[0].toFixed(1)}`);
  console.log('ms until drawn   longest task, ms: until then  scrolling  screen');
  for (const [name, [path, picture]] of Object.entries(SCREENS))
    if (asked.length === 0 || asked.some((part) => name.includes(part))) await look(page, name, path, picture);
  console.log(`Load average ${loadavg()[0].toFixed(1)}`);
} finally {
  await browser.close();
}

async function look(page, name, path, picture) {
  const opening = await traced(page, async () => {
    const started = performance.now();
    await page.goto(`${url}${path}`);
    await page.locator(picture).first().waitFor();
    return performance.now() - started;
  });
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const scrolling = await traced(page, () => scroll(page, picture));
  const [drawn, first, then] = [opening.value, opening.longest, scrolling.longest].map((ms) => ms.toFixed(0));
  console.log(`${drawn.padStart(14)}   ${first.padStart(29)}  ${then.padStart(9)}  ${name}`);
  if (Math.max(opening.longest, scrolling.longest) > MAX_TASK_MS) process.exitCode = 1;
}

/** @returns what `act` returns, and the longest task of the page meanwhile in ms of CPU */
async function traced(page, act) {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  const value = await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  return { value, longest: longestTask(traceEvents).cpuMs };
}

/** Down and up again, over the picture. */
async function scroll(page, picture) {
  const box = await page.locator(picture).first().boundingBox();
  await page.mouse.move(Math.min(1300, box.x + 10), Math.min(850, Math.max(100, box.y + 10)));
  for (let n = 0; n < SCROLLS; n++) {
    await page.mouse.wheel(0, n < SCROLLS / 2 ? SCROLL_PX : -SCROLL_PX);
    await page.waitForTimeout(SCROLL_GAP_MS);
  }
}
