import config from './jest.config.js';

/** `npm run test:kubernetes`: the chart in a real cluster, one file after another, since they share its processors. */
export default {
  ...config,
  roots: ['<rootDir>/test/kubernetes'],
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.TOOLMARK_KUBERNETES_METRIC ? [] : ['/scaling\\.'])],
  maxWorkers: 1,
  testTimeout: 480_000,
};
