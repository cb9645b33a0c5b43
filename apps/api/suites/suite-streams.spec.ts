import { until } from '../../../test/until.js';
import { SuiteStreams } from './suite-streams.js';

async function* forEver(): AsyncGenerator<string> {
  for (;;) yield 'x'.repeat(1000);
}

it('a reader that does not go on is broken off, and its place is free again', async () => {
  const streams = new SuiteStreams(50);
  const open = [1, 2, 3, 4].map(() => streams.large('a', forEver()));
  const errors = open.map((stream) => new Promise<Error>((resolve) => stream.once('error', resolve)));
  expect(() => streams.large('a', forEver())).toThrow(/may be read at once/);
  for (const stream of open) stream.once('readable', () => {}); // begins to read, and takes nothing
  expect((await Promise.all(errors)).map(({ message }) => message)).toEqual(
    Array(4).fill('The reader took nothing for too long.'),
  );
  const next = await until(() => streams.large('a', forEver()));
  next.destroy();
});
