// The cost of a run's page in the browser while results arrive fast: a fake API plays the log of a run of six models,
// while a user scrolls. Fails if a task of the page takes longer than 50 ms of CPU.
//   node bench/web/run.mjs [results] [results a second]
import { cpus, loadavg } from 'node:os';
import { startStandIn } from './stand-in.mjs';
import { MAX_TASK_MS, openTab, startBrowser } from './tab.mjs';
import { printTab, TAB_HEAD } from './table.mjs';

const [results = 200_000, perSecond = 10_000] = process.argv.slice(2).map(Number);

const standIn = await startStandIn({ results, perSecond });
const browser = await startBrowser();
try {
  const tab = await openTab(browser, `${standIn.url}/runs/${standIn.run.id}`);
  await standIn.subscribed;
  const heap = { start: await tab.heapMb() };
  const played = standIn.play();
  const isAt = (share) => () => standIn.run.progress().current >= share * results;
  const first = await tab.measure(isAt(0.5));
  heap.middle = await tab.heapMb();
  // Until the end, including the requests and rendering that the page does then.
  let isDrawn = false;
  const drawn = tab.page.locator('.sentence').waitFor();
  void Promise.allSettled([played, drawn]).then(() => (isDrawn = true));
  const second = await tab.measure(() => isDrawn);
  await drawn;
  heap.end = await tab.heapMb();

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; load average ${loadavg()[0].toFixed(1)}`);
  console.log(`${results} results at ${perSecond} a second`);
  console.log(TAB_HEAD);
  printTab('first half', first);
  printTab('second half', second);
  console.log(`MB held: ${['start', 'middle', 'end'].map((when) => `${when} ${heap[when].toFixed(1)}`).join(', ')}`);
  for (const path of standIn.unanswered) console.log(`The stand-in has no ${path}`);
  for (const fault of tab.faults) console.log(`The page says: ${fault}`);
  if (Math.max(...[first, second].map(({ longest }) => longest.cpuMs)) > MAX_TASK_MS) {
    console.log(`A task took longer than ${MAX_TASK_MS} ms.`);
    process.exitCode = 1;
  }
} finally {
  await browser.close();
  await standIn.close();
}
