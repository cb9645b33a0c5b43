import { movingScreens } from '../moving-screens.js';
import { played, repeatable } from '../seed.js';
import { faultsOfScreens, fillTeam, screensOf, VIEWS, type Filled } from '../web-screens.js';
import { joinWeb, journeys, type TeamWeb } from '../web.js';

const [OWNER, ...OTHERS] = VIEWS;
let web: TeamWeb;
let filled: Filled;

/** A walk takes half a minute alone, and several minutes on a busy machine. */
const MOST_MS = 400_000;

journeys('every screen', () => {
  beforeAll(async () => {
    web = await joinWeb();
    filled = await fillTeam(web);
  });

  it.each([OWNER!, ...played(OTHERS)])(
    'has no finding of axe, no violation, no error, no text for programs, and fits: %s',
    async (_view, options) => {
      const axe = options.role === 'owner' ? 'both' : 'own';
      await repeatable(async () =>
        expect(await faultsOfScreens(web, screensOf(filled), options, { axe, loads: false, words: true })).toEqual({}),
      );
    },
    MOST_MS,
  );

  it(
    'holds still while it is opened over a slow line',
    async () => expect(await movingScreens(web, screensOf(filled), 0.05)).toEqual({}),
    MOST_MS,
  );

  it('has none either when only the operator is allowed to act', async () => {
    const screens = [
      ['teams', '/settings/teams'],
      ['limits', '/settings/limits?team=all'],
      ['audit', '/settings/audit'],
    ] as const;
    const token = web.operator.token;
    expect(await faultsOfScreens(web, screens, { token }, { axe: 'both', loads: true })).toEqual({});
  });
});
