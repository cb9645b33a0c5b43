import { faultsOfScreen, fillTeam, HOSTILE, screensOf, type Filled } from '../web-screens.js';
import { journeys, startWeb, type OpenOptions, type WebSystem } from '../web.js';

// 640 px are 1280 px at 200 %.
const VIEWS: [string, OpenOptions][] = [
  ['an owner, wide', { role: 'owner', width: 1280 }],
  ['an editor, at 200 %', { role: 'editor', width: 640, height: 400 }],
  ['a viewer, at 360 px, dark', { role: 'viewer', width: 360, theme: 'dark' }],
];

let web: WebSystem;
let filled: Filled;

/** Faults of all screens, by screen. */
async function faultsOfAll(options: OpenOptions): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [name, path] of screensOf(filled)) {
    const faults = await faultsOfScreen(web, path, options);
    if (faults.length) found[name] = faults;
  }
  return found;
}

journeys('every screen', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web);
  });

  it.each(VIEWS)('has no finding of axe, no violation, no error, and fits: %s', async (_view, options) => {
    expect(await faultsOfAll(options)).toEqual({});
  });
});

journeys('every screen with hostile texts', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web, HOSTILE);
  });

  it.each(VIEWS)('shows them as text and keeps its layout: %s', async (_view, options) => {
    expect(await faultsOfAll(options)).toEqual({});
  });
});
