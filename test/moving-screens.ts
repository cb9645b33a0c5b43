import type { TeamWeb } from './web.js';

const LATENCY_MS = 500;
/** Tabs mostly wait for the line. */
const AT_ONCE = 8;
/** Sums how far content moves without input, as browsers score it (CLS). */
const WATCH_SHIFTS = `globalThis.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value;
}).observe({ type: 'layout-shift', buffered: true });`;

/** The screens whose content moves by more than `most` while they are opened over a slow line, with how far. */
export async function movingScreens(
  web: TeamWeb,
  screens: readonly (readonly [name: string, path: string])[],
  most: number,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const left = [...screens];
  const walk = async (): Promise<void> => {
    const { page, context } = await web.open();
    await page.addInitScript(WATCH_SHIFTS);
    const session = await context.newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: LATENCY_MS, downloadThroughput: -1, uploadThroughput: -1 },
    });
    for (let screen = left.shift(); screen; screen = left.shift()) {
      const [name, path] = screen;
      await page.goto(`${web.url}${path}`, { waitUntil: 'networkidle' });
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const shifted = await page.evaluate<number>('globalThis.shifted');
      if (shifted > most) found[name] = shifted;
    }
    await context.close();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, screens.length) }, walk));
  return found;
}
