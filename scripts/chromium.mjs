// The browser for page tests: TOOLMARK_CHROMIUM, one on the PATH, or, as root on Debian, the package.
import { findOnPath, installPackage } from './debian-package.mjs';

/** The first is headless: with it, journeys took 183 s of CPU instead of 214 (two cores, AMD EPYC). */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** @returns the path of a Chromium; undefined if there is none, so that these tests are skipped */
export function findChromium(say) {
  const found = () => process.env.TOOLMARK_CHROMIUM || PROGRAMS.map(findOnPath).find(Boolean);
  if (found()) return found();
  const failure = installPackage(PROGRAMS[0], say);
  if (failure) say(failure);
  return found();
}
