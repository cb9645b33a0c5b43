import { faultsOfAll, fillTeam, HOSTILE, VIEWS, type Filled } from '../web-screens.js';
import { journeys, startWeb, type WebSystem } from '../web.js';

let web: WebSystem;
let filled: Filled;

journeys('every screen with hostile texts', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web, HOSTILE);
  });

  it.each(VIEWS)('shows them as text and keeps its layout: %s', async (_view, options) => {
    expect(await faultsOfAll(web, filled, options, { withAxe: false })).toEqual({});
  });
});
