import { faultsOfAll, fillTeam, VIEWS, type Filled } from '../web-screens.js';
import { journeys, startWeb, type WebSystem } from '../web.js';

let web: WebSystem;
let filled: Filled;

journeys('every screen', () => {
  beforeAll(async () => {
    web = await startWeb();
    filled = await fillTeam(web);
  });

  it.each(VIEWS)('has no finding of axe, no violation, no error, and fits: %s', async (_view, options) => {
    expect(await faultsOfAll(web, filled, options)).toEqual({});
  });
});
