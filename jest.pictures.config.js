import config from './jest.config.js';

/** `npm run docs:pictures`: makes the pictures of the documents. */
/** @type {import('jest').Config} */
export default {
  ...config,
  testMatch: ['<rootDir>/test/pictures/*.pictures.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
