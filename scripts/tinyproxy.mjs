// A forward proxy, for tests.
import { findOnPath, installPackage } from './debian-package.mjs';

/** @returns the path of tinyproxy; undefined if there is none: its tests fail then */
export function findTinyproxy(say) {
  if (findOnPath('tinyproxy')) return findOnPath('tinyproxy');
  const failure = installPackage('tinyproxy', say);
  if (failure) say(failure);
  return findOnPath('tinyproxy');
}
