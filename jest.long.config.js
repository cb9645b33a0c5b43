import config from './jest.config.js';

/** What measures shares, or attacks the API from many sides at once, and so needs the machine for itself. */
const ALONE = ['fairness', 'hostile'].map((name) => `<rootDir>/test/long/${name}.e2e.spec.ts`);
/** What measures times, needs another product, or waits for minutes, is played by the soak alone. */
const SOAK = ['tune-progress', 'promptfoo', 'gateway', 'sign-in-faults'].map(
  (name) => `<rootDir>/test/long/${name}.e2e.spec.ts`,
);
const { maxWorkers, watchman, testTimeout, testPathIgnorePatterns: _, ...project } = config;
const long = { ...project, roots: ['<rootDir>/test/long'] };

/** What takes longer than `npm test` should: `npm run test:long`. */
export default {
  testSequencer: '<rootDir>/test/jest/slowest-first.mjs',
  maxWorkers,
  watchman,
  testTimeout,
  projects: [
    { ...long, testPathIgnorePatterns: ['/node_modules/', ...ALONE, ...SOAK] },
    { ...long, testMatch: ALONE, runner: '<rootDir>/test/jest/alone-runner.mjs' },
  ],
};
