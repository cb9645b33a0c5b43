/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/jest/environment.mjs',
  runtime: '<rootDir>/test/jest/runtime.cjs',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/bench'],
  testMatch: ['**/*.spec.ts', '**/*.spec.tsx'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/long/', '<rootDir>/test/kubernetes/'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': '@swc/jest',
    '^.+\\.tsx$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript', tsx: true }, transform: { react: { runtime: 'automatic' } } } },
    ],
  },
  moduleNameMapper: {
    '\\.css$': '<rootDir>/test/no-style.ts',
    '^#lib/(.*)$': '<rootDir>/libs/$1',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json'],
  watchman: false,
  maxWorkers: 3, // More than the cores of a small machine: files mostly wait.
  // Longer than a process may take to start (test/processes.ts), so that the failure says what did not start.
  testTimeout: 150_000,
};
