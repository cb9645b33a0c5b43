// The browser of the tests of the page: TOOLMARK_CHROMIUM, one of the PATH, or, as root on Debian, its package.
import { findOnPath, installPackage } from './debian-package.mjs';

/** @returns the path of a Chromium; undefined where there is none, and then these tests are left out */
export function findChromium(say) {
  const found = () =>
    process.env.TOOLMARK_CHROMIUM ||
    findOnPath('chromium') ||
    findOnPath('chromium-browser') ||
    findOnPath('google-chrome');
  if (found()) return found();
  const failure = installPackage('chromium', say);
  if (failure) say(failure);
  return found();
}
