import TestSequencer from '@jest/test-sequencer';

/**
 * The files of test/long that take a minute and more: `.ci/run` prints how long each takes. Those with a browser come
 * after the others, since Chromium drops what it loads when `.ci/run` begins or ends networks of containers.
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
].map((name) => new RegExp(`/${name}\\.(int|e2e)\\.spec\\.ts$`));

/** A fresh clone does not know yet which files are slow; one that begins last would leave a core idle. */
export default class SlowestFirst extends TestSequencer {
  sort(tests) {
    const place = ({ path }) => {
      const index = SLOWEST.findIndex((name) => name.test(path));
      return index < 0 ? SLOWEST.length : index;
    };
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
}
