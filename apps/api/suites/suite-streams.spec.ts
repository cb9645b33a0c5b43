import { until } from '../../../test/until.js';
import { SuiteStreams } from './suite-streams.js';

async function* forEver(): AsyncGenerator<string> {
  for (;;) yield 'x'.repeat(1000);
}

it('a reader that stalls is broken off, and its place is free again', async () => {
  const streams = new SuiteStreams(50);
  const open = [1, 2, 3, 4].map(() => streams.large('a', forEver()));
  const errors = open.map((stream) => new Promise<Error>((resolve) => stream.once('error', resolve)));
  expect(() => streams.large('a', forEver())).toThrow(/the limit is \d+ at once/);
  for (const stream of open) stream.once('readable', () => {}); // begins to read, and consumes nothing
  expect((await Promise.all(errors)).map(({ message }) => message)).toEqual(
    Array(4).fill('The client read nothing for too long.'),
  );
  const next = await until(() => streams.large('a', forEver()));
  next.destroy();
});

it('suites in memory that a team does not read are bounded, and another team reads its own', async () => {
  const streams = new SuiteStreams();
  const unread = Array.from({ length: 8 }, () => streams.small('a', 4 * 2 ** 20, forEver()));
  expect(() => streams.small('a', 1, forEver())).toThrow(/requested suites of 32 million characters and not read them/);
  streams.small('b', 4 * 2 ** 20, forEver()).destroy();
  for (const stream of unread) stream.destroy();
  const next = await until(() => streams.small('a', 4 * 2 ** 20, forEver()));
  next.destroy();
});
