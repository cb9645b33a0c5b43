import config from './jest.config.js';

/** What measures times or shares, or attacks the API from many sides at once, and so needs the machine for itself. */
const ALONE = ['fairness', 'hostile', 'tune-progress'].map((name) => `<rootDir>/test/long/${name}.e2e.spec.ts`);
const { maxWorkers, watchman, testTimeout, testPathIgnorePatterns: _, ...project } = config;
const long = { ...project, roots: ['<rootDir>/test/long'] };

/** What takes longer than `npm test` should: `npm run test:long`. */
export default {
  testSequencer: '<rootDir>/test/jest/slowest-first.mjs',
  maxWorkers,
  watchman,
  testTimeout,
  projects: [
    { ...long, testPathIgnorePatterns: ['/node_modules/', ...ALONE] },
    { ...long, testMatch: ALONE, runner: '<rootDir>/test/jest/alone-runner.mjs' },
  ],
};
