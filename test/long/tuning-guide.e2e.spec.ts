import { openGuideShell, replayGuide, type GuideShell } from '../guide.js';
import { startSystem, type System } from '../system.js';

let system: System;
let shell: GuideShell;
beforeAll(async () => {
  system = await startSystem();
  shell = openGuideShell(system);
}, 150_000);
afterAll(() => shell.end());

it('the example prints what docs/tuning.md shows', async () => {
  const { printed, promised } = await replayGuide('docs/tuning.md', system, shell);
  expect(promised.length).toBeGreaterThan(2);
  expect(printed).toEqual(promised);
}, 300_000);
