import { readArguments } from './read-arguments.js';

const options = {
  models: { type: 'string' },
  temperature: { type: 'string' },
  watch: { type: 'boolean' },
  failed: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
const read = (...args: string[]) => readArguments(args, options);

it('reads options and what stands between them', () => {
  expect(read('run', 'a suite', '--models', 'a,b', '--watch', '--temperature=-0.5', '--', '--odd')).toMatchObject({
    positionals: ['run', 'a suite', '--odd'],
    values: { models: 'a,b', watch: true, temperature: '-0.5' },
  });
  expect(read('-h').values.help).toBe(true);
});

it.each([
  [
    ['--wathc'],
    'No option "--wathc". Nearest of the options, 5 in all: --watch, --failed, --help. See toolmark --help',
  ],
  [['run', '-x'], /^No option "-x"\. Nearest/],
  [['--toString'], /^No option "--toString"/],
  [['--watch=yes'], '--watch takes no value.'],
  [['--models'], '--models needs a value.'],
  [['--models='], '--models needs a value.'],
  [['--models', '--watch'], '--models needs a value. Is "--watch" one? Then write --models=--watch'],
  [['--temperature', '-1'], '--temperature needs a value. Is "-1" one? Then write --temperature=-1'],
])('says what is wrong with %j in its own words', (args, message) => {
  expect(() => read(...args)).toThrow(message);
});
