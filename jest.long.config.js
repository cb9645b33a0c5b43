import config from './jest.config.js';

/** What takes longer than `npm test` should: `npm run test:long`, one file after another. */
export default { ...config, roots: ['<rootDir>/test/long'], testPathIgnorePatterns: ['/node_modules/'], maxWorkers: 1 };
