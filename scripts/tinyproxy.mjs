// A forward proxy, for tests.
import { findOnPath, installPackage } from './debian-package.mjs';

/** @returns the path of tinyproxy; undefined if there is none, so that its tests are skipped */
export function findTinyproxy(say) {
  if (findOnPath('tinyproxy')) return findOnPath('tinyproxy');
  const failure = installPackage('tinyproxy', say);
  if (failure) say(failure);
  return findOnPath('tinyproxy');
}
