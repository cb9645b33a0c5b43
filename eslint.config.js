// Few rules, each for a mistake that has cost someone a day. Prettier formats; the sizes here keep code readable.
import query from '@tanstack/eslint-plugin-query';
import a11y from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** What waits longer for nothing but time is slow whenever it runs; a shorter setting of what is waited for is not. */
const NO_LONG_WAITS = [
  'CallExpression[callee.name=/^(delay|sleep|pause)$/]',
  "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
].map((call) => ({
  selector: `${call} > Literal[value>2000]`,
  message: 'Waits at most 2 s; wait for what shall happen.',
}));

export default tseslint.config(
  { ignores: ['dist/', 'dist.*/', 'node_modules/', '.toolmark/', 'coverage/', 'libs/db/generated/'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // A promise that nobody waits for loses its error, or takes the process down.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { arguments: false, attributes: false } },
      ],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.js'],
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-unreachable': 'error',
      'no-fallthrough': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-async-promise-executor': 'error',
      'no-unsafe-finally': 'error',
      'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
      'no-console': 'off',
    },
  },
  {
    // A file, a function and a line that fit a screen. A function that is longer says why beside the exception.
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.js'],
    rules: {
      'max-len': ['error', { code: 120 }],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true, IIFEs: true }],
    },
  },
  { files: ['**/*.spec.ts', '**/*.spec.tsx'], rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' } },
  {
    // Tests are promises about the product: none is left out, none waits for a fixed time.
    files: ['**/*.spec.ts', '**/*.spec.tsx', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off', // Answers are read as a client in another language would read them.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only)$/]',
          message: 'Every test runs.',
        },
        {
          selector: "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
          message: 'Wait with until(() => ...) of test/until.ts.',
        },
        {
          selector: "CallExpression[callee.object.name='jest'][callee.property.name=/mock/i]",
          message: 'Tests use the real thing.',
        },
        ...NO_LONG_WAITS,
      ],
    },
  },
  { files: ['test/until.ts', 'test/processes.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    // The faults that bench/chaos plays one by one are only in the soak.
    files: ['bench/**/*.mjs', 'scripts/**/*.mjs', 'test/**/*.mjs', '.ci/*.mjs'],
    ignores: ['bench/chaos/**'],
    rules: { 'no-restricted-syntax': ['error', ...NO_LONG_WAITS] },
  },
  {
    // A user's text of a few thousand characters could keep a backtracking pattern busy for hours. What must be
    // safe for another reason says which; elsewhere an index scan or RE2 (re2js) does.
    files: ['apps/**/*.ts', 'apps/**/*.tsx', 'libs/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    // The page: rules of hooks and of queries, and what a keyboard or a screen reader needs.
    files: ['apps/web/**/*.{ts,tsx}'],
    extends: [
      hooks.configs.flat['recommended-latest'],
      ...query.configs['flat/recommended'],
      a11y.flatConfigs.recommended,
    ],
    rules: {
      'react-hooks/exhaustive-deps': 'error',
      'react-hooks/incompatible-library': 'off', // It is about the React compiler, which is not used.
      '@tanstack/query/no-rest-destructuring': 'error',
      // A dialog, or a form that somebody has just asked for, begins at its first field.
      'jsx-a11y/no-autofocus': 'off',
      // What scrolls is reached with Tab.
      'jsx-a11y/no-noninteractive-tabindex': ['error', { tags: ['dd', 'main'], roles: ['region', 'group', 'grid'] }],
      // Ctrl+Enter sends the form that it is pressed in.
      'jsx-a11y/no-noninteractive-element-interactions': ['error', { form: ['onKeyDown'] }],
    },
  },
  {
    // Outside packages and the environment have one owner each; folders are .dependency-cruiser.cjs's business.
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['libs/runtime/env.ts', 'apps/simulator/main.ts', 'apps/cli/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read it in libs/runtime/env.ts.' },
      ],
    },
  },
  {
    // A terminal obeys what stands in the names that a server or a model gives; score.ts pipes JSON and counts of
    // its own.
    files: ['apps/cli/**/*.ts'],
    ignores: ['apps/cli/output/terminal.ts', 'apps/cli/score/score.ts', '**/*.spec.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({
          object: 'process',
          property,
          message: 'Print with apps/cli/output/terminal.ts, which shows control characters instead of sending them.',
        })),
      ],
    },
  },
);
