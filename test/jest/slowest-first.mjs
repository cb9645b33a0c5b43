import { basename } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

/**
 * The files of test/long that take about a minute or more: `.ci/run` prints the duration of each. Browser tests come
 * after the others.
 */
const SLOWEST = [
  'cli',
  'live',
  'tuning-guide',
  'hostile-replies',
  'tune-kills',
  'param-tune-steps',
  'prompt-tune-kills',
  'prompt-tune-chance',
  'stopping-api',
  'try',
  'liveness',
  'compare-guide',
  'gate-kills',
  'hostile-providers',
  'suite-sizes',
  'costs',
  'faults',
  'prompt-tune-steps',
  'judge',
  'web-screens',
  'web-hostile-screens',
  'web-results',
  'web-tunes',
  'web-why',
  'web-operate',
  'web-suites',
  'web-runs',
  'web-prompt-tunes',
];

/** A fresh clone has no timings yet, and a slow file that begins last would leave a core idle. */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const place = ({ path }) => SLOWEST.indexOf(basename(path).split('.')[0]) >>> 0; // Unlisted files come last.
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
}
