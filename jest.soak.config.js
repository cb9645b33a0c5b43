import config from './jest.config.js';

/** `npm run test:soak`: plays all of what other runs draw a part of, one file after another. */
process.env.TOOLMARK_TEST_ALL = '1';
/** @type {import('jest').Config} */
export default {
  ...config,
  testMatch: [
    '**/*-deaths.*.spec.ts',
    '**/*-kills.*.spec.ts',
    '**/test/long/{contention,faults,fleet,hostile,hostile-replies,live,pgbouncer,redis-topologies,storm}.*.spec.ts',
    '**/test/long/{web-hostile-screens,web-screens}.*.spec.ts',
    '**/test/long/{conversations,facets,gateway,promptfoo,prompt-tune-chance,sign-in-faults,tune-progress}.*.spec.ts',
    '**/apps/worker/control/experiments.int.spec.ts',
    '**/libs/db/engine/store-rounds.int.spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
