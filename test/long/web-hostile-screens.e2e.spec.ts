import { faultsOfScreens, fillTeam, HOSTILE, screensOf, VIEWS, type Filled, type Walk } from '../web-screens.js';
import { joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let filled: Filled;

/** A walk takes half a minute alone, and several beside much else. */
const MOST_MS = 400_000;

journeys('every screen with hostile texts', () => {
  beforeAll(async () => {
    web = await joinWeb();
    filled = await fillTeam(web, HOSTILE);
  });

  it.each(VIEWS)(
    'shows them as text and keeps its layout: %s',
    async (_view, options) => {
      // Axe is asked in web-screens.e2e.spec.ts. Loading each screen by its address once is enough, and is done here.
      const walk: Walk = { axe: 'none', loads: options.role === 'owner' };
      expect(await faultsOfScreens(web, screensOf(filled), options, walk)).toEqual({});
    },
    MOST_MS,
  );
});
