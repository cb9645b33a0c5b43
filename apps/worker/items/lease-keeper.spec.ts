import { until } from '../../../test/until.js';
import { LeaseKeeper } from './lease-keeper.js';

it('a thread that ends is noticed and started again, and the main thread knows that it has to renew', async () => {
  const errors: string[] = [];
  const log = (facts: unknown, message?: string) => errors.push(message ?? String(facts));
  const keeper = new LeaseKeeper({
    databaseUrl: 'no address',
    workerId: 'w',
    logger: { error: log, warn: log } as never,
    held: () => [],
    onLost: () => {},
  });
  const ends = (): number => errors.filter((message) => message.includes('it is started again')).length;
  await until(async () => ends() === 2, { what: 'the thread to end twice' });
  expect(keeper.isRenewing).toBe(false);
  await keeper.close();
});
