// The browser of the tests of the page: TOOLMARK_CHROMIUM, one of the PATH, or, as root on Debian, its package.
import { findOnPath, installPackage } from './debian-package.mjs';

/** The first has no window: with it, journeys took 183 s of CPU instead of 214 (two cores, AMD EPYC). */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** @returns the path of a Chromium; undefined where there is none, and then these tests are left out */
export function findChromium(say) {
  const found = () => process.env.TOOLMARK_CHROMIUM || PROGRAMS.map(findOnPath).find(Boolean);
  if (found()) return found();
  const failure = installPackage(PROGRAMS[0], say);
  if (failure) say(failure);
  return found();
}
