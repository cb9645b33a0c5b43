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

/** A walk takes a minute alone, and several beside another one. */
const MOST_MS = 400_000;
/** Screens that are looked at side by side. */
const AT_ONCE = 2;

/** Faults of all screens, by screen. */
async function faultsOfAll(options: OpenOptions, check = {}): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const screens = screensOf(filled);
  const look = async (): Promise<void> => {
    for (let screen = screens.shift(); screen; screen = screens.shift()) {
      const [name, path] = screen;
      const faults = await faultsOfScreen(web, path, options, check);
      if (faults.length) found[name] = faults;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return found;
}

journeys('every screen', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web);
  });

  it.each(VIEWS)(
    'has no finding of axe, no violation, no error, and fits: %s',
    async (_view, options) => {
      expect(await faultsOfAll(options)).toEqual({});
    },
    MOST_MS,
  );
});

journeys('every screen with hostile texts', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web, HOSTILE);
  });

  it.each(VIEWS)(
    'shows them as text and keeps its layout: %s',
    async (_view, options) => {
      expect(await faultsOfAll(options, { withAxe: false })).toEqual({});
    },
    MOST_MS,
  );
});
