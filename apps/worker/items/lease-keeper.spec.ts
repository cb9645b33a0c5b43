import { until } from '../../../test/until.js';
import { LeaseKeeper } from './lease-keeper.js';

it('a thread that ends is restarted, and the main thread renews the leases meanwhile', async () => {
  const errors: string[] = [];
  const log = (facts: unknown, message?: string) => errors.push(message ?? String(facts));
  const keeper = new LeaseKeeper({
    databaseUrl: 'no address',
    workerId: 'w',
    logger: { error: log, warn: log } as never,
    held: () => [],
    onLost: () => {},
  });
  const ends = (): number => errors.filter((message) => message.includes('it will be restarted')).length;
  await until(async () => ends() === 2, { what: 'the thread to end twice' });
  expect(keeper.isRenewing).toBe(false);
  await keeper.close();
});
