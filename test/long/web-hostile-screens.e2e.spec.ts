import { faultsOfScreens, fillTeam, HOSTILE, screensOf, VIEWS, type Filled } from '../web-screens.js';
import { joinWeb, journeys, type TeamWeb } from '../web.js';

let web: TeamWeb;
let filled: Filled;

/** A walk takes half a minute alone, and several beside another one. */
const MOST_MS = 400_000;

journeys('every screen with hostile texts', () => {
  beforeAll(async () => {
    web = await joinWeb();
    filled = await fillTeam(web, HOSTILE);
  });

  it.each(VIEWS)(
    'shows them as text and keeps its layout: %s',
    async (_view, options) => {
      expect(await faultsOfScreens(web, screensOf(filled), options, { axe: 'none', loads: false })).toEqual({});
    },
    MOST_MS,
  );
});
