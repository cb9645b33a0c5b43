import TestSequencer from '@jest/test-sequencer';

/** The files of test/long that take a minute and more, the slowest first: `.ci/run` prints how long each takes. */
const SLOWEST = [
  'web-screens',
  'cli',
  'live',
  'tuning-guide',
  'hostile-replies',
  'web-hostile-screens',
  'hostile',
  'web-tunes',
  'tune-kills',
  'param-tune-steps',
  'web-why',
  'web-operate',
  'prompt-tune-kills',
  'web-suites',
  'prompt-tune-chance',
  'stopping-api',
  'web-runs',
  'try',
  'liveness',
  'compare-guide',
  'web-prompt-tunes',
  'gate-kills',
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
