import config from './jest.config.js';

/** `npm run test:kubernetes`: the chart in a real cluster, one file after another, because they share its processors. */
export default {
  ...config,
  roots: ['<rootDir>/test/kubernetes'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 480_000,
  bail: 0,
};
