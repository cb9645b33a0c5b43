import { openGuideShell, replayGuide, type GuideShell } from '../guide.js';
import { joinSystem, type TeamSystem } from '../system.js';

let system: TeamSystem;
let shell: GuideShell;
beforeAll(async () => {
  system = await joinSystem();
  shell = openGuideShell(system);
}, 150_000);
afterAll(() => shell.end());

it('the example prints what docs/conversations.md shows', async () => {
  const { printed, promised } = await replayGuide('docs/conversations.md', system, shell);
  expect(promised).toHaveLength(2);
  expect(printed).toEqual(promised);
}, 120_000);
