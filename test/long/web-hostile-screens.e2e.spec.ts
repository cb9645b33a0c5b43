import { playsAll } from '../seed.js';
import {
  faultsOfScreens,
  fillTeam,
  HOSTILE,
  screensOf,
  VIEWS,
  WINDOWS,
  type Filled,
  type Walk,
} from '../web-screens.js';
import { joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let filled: Filled;

/** A walk takes half a minute alone, and several minutes on a busy machine. */
const MOST_MS = 400_000;

journeys('every screen with hostile texts', () => {
  beforeAll(async () => {
    web = await joinWeb();
    filled = await fillTeam(web, HOSTILE);
  });

  it(
    'shows them as text and keeps its layout, in a window of any size',
    async () => {
      // Loaded by address, and without axe: web-screens.e2e.spec.ts does the opposite.
      const walk: Walk = { axe: 'none', loads: true, windows: WINDOWS };
      expect(await faultsOfScreens(web, screensOf(filled), { role: 'owner' }, walk)).toEqual({});
    },
    MOST_MS,
  );

  if (playsAll)
    it.each(VIEWS)(
      'shows them as text and keeps its layout: %s',
      async (_view, options) => {
        expect(await faultsOfScreens(web, screensOf(filled), options, { axe: 'none', loads: false })).toEqual({});
      },
      MOST_MS,
    );
});
