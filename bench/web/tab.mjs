// A tab of Chromium and its cost: CPU of its main thread, memory after garbage collection, and its longest task.
import { chromium } from 'playwright-core';
import { findChromium } from '../../scripts/chromium.mjs';

const WINDOW = { width: 1280, height: 800 };
const TIMEOUT_MS = 60_000;
const SCROLL_GAP_MS = 100;
/** A longer task makes scrolling stutter. */
export const MAX_TASK_MS = 50;

const OBSERVE = `
  globalThis.slowTasks = [];
  for (const type of ['longtask', 'long-animation-frame'])
    new PerformanceObserver((list) => slowTasks.push(...list.getEntries().map((entry) => entry.toJSON())))
      .observe({ type, buffered: true });`;

/** @throws Error if there is no Chromium */
export async function startBrowser() {
  const executablePath = findChromium(console.error);
  if (!executablePath) throw new Error('There is no Chromium. Install chromium, or set TOOLMARK_CHROMIUM.');
  return chromium.launch({ executablePath });
}

/** A tab at an address, with its main content rendered. */
export async function openTab(browser, address) {
  const page = await browser.newPage({ viewport: WINDOW });
  page.setDefaultTimeout(TIMEOUT_MS);
  const faults = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.addInitScript(OBSERVE);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.goto(address);
  await page.locator('main h1').first().waitFor();
  const tab = { page, cdp, faults };
  return {
    ...tab,
    heapMb: () => heapMb(tab),
    measure: (isOver, stepPx) => measure(browser, tab, isOver, stepPx),
    close: () => page.close(),
  };
}

/** The page's heap after garbage collection. */
async function heapMb({ cdp }) {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await metricsOf(cdp)).JSHeapUsedSize / 1e6;
}

async function metricsOf(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Uses the page while results arrive, until `isOver`, and returns the cost. */
async function measure(browser, { page, cdp }, isOver, stepPx) {
  await page.evaluate('new Promise(requestAnimationFrame).then(() => void (slowTasks.length = 0))');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  const [before, cpuBefore] = [await metricsOf(cdp), await cpuSeconds(browser)];
  await read(page, isOver, stepPx);
  const [after, cpuAfter] = [await metricsOf(cdp), await cpuSeconds(browser)];
  const slow = await page.evaluate('new Promise(requestAnimationFrame).then(() => slowTasks)');
  const trace = JSON.parse((await browser.stopTracing()).toString());
  const seconds = after.Timestamp - before.Timestamp;
  const share = (name) => (after[name] - before[name]) / seconds;
  return {
    seconds,
    tasks: share('TaskDuration'),
    scripts: share('ScriptDuration'),
    layout: share('LayoutDuration') + share('RecalcStyleDuration'),
    cpu: (cpuAfter.renderer - cpuBefore.renderer) / seconds,
    cpuOfBrowser: (cpuAfter.all - cpuBefore.all) / seconds,
    longest: longestTask(trace.traceEvents),
    slowScripts: slow.flatMap(({ scripts = [] }) => scripts).filter(({ duration }) => duration > MAX_TASK_MS),
  };
}

/** Total CPU seconds of the browser's processes. */
async function cpuSeconds(browser) {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const sum = (processes) => processes.reduce((seconds, { cpuTime }) => seconds + cpuTime, 0);
  return { renderer: sum(processInfo.filter(({ type }) => type === 'renderer')), all: sum(processInfo) };
}

/** Scrolls down and up, and requests the newest results whenever there are more. */
async function read(page, isOver, stepPx = 120) {
  const more = page.getByRole('button', { name: /^Show [\d,]+ more$/ });
  await page.mouse.move(WINDOW.width / 2, WINDOW.height / 2);
  for (let n = 1; !isOver(); n++) {
    await page.mouse.wheel(0, Math.floor(n / 10) % 2 === 0 ? stepPx : -stepPx);
    if (n % 20 === 0 && (await more.isVisible())) await more.click();
    await page.waitForTimeout(SCROLL_GAP_MS);
  }
}

/**
 * The longest task of the main thread: in ms of wall-clock time, and in ms of CPU time, which other processes do not
 * lengthen. A task that waits for a core looks long by wall-clock time alone.
 */
export function longestTask(events) {
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  const tasks = events.filter(({ ph, dur, pid, tid }) => ph === 'X' && dur && mainThreads.has(`${pid}:${tid}`));
  const longest = (key) => tasks.reduce((most, task) => Math.max(most, (task[key] ?? 0) / 1000), 0);
  return { ms: longest('dur'), cpuMs: longest('tdur') };
}
