import { faultsOfScreens, fillTeam, HOSTILE, screensOf, type Filled } from '../web-screens.js';
import { journeys, startWeb, type OpenOptions, type WebSystem } from '../web.js';

// 640 px are 1280 px at 200 %.
const VIEWS: [string, OpenOptions, 'both' | 'own'][] = [
  ['an owner, wide', { role: 'owner', width: 1280 }, 'both'],
  ['an editor, at 200 %', { role: 'editor', width: 640, height: 400 }, 'own'],
  ['a viewer, at 360 px, dark', { role: 'viewer', width: 360, theme: 'dark' }, 'own'],
];

let web: WebSystem;
let filled: Filled;

/** A walk takes a minute alone, and several beside another one. */
const MOST_MS = 400_000;

journeys('every screen', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web);
  });

  it.each(VIEWS)(
    'has no finding of axe, no violation, no error, and fits: %s',
    async (_view, options, axe) => {
      expect(await faultsOfScreens(web, screensOf(filled), options, axe)).toEqual({});
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
      expect(await faultsOfScreens(web, screensOf(filled), options, 'none')).toEqual({});
    },
    MOST_MS,
  );
});
