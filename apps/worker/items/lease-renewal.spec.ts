import type { LeasedItem } from '#lib/db/engine/claim-items';
import { LeaseRenewal, MAX_BLOCKED_MS, type LeaseReport } from './lease-renewal.js';

const item = (token: number, begun = false): LeasedItem => ({ runId: 'r', target: 0, item: token, token, begun });

/** A renewal with a main thread that beats, and a database in which this worker still holds some tokens. */
function renewalOf(stillHeld: readonly number[]) {
  const asked: LeasedItem[][] = [];
  const told: LeaseReport[] = [];
  const main = { beats: 0 };
  const database = { isGone: false };
  const renewal = new LeaseRenewal({
    renew: async (items) => {
      asked.push(items);
      if (database.isGone) throw new Error('no connection');
      return items.map(({ token }) => token).filter((token) => stillHeld.includes(token));
    },
    beats: () => main.beats,
    tell: (message) => told.push(message),
  });
  return { renewal, asked, told, main, database };
}

it('held leases are renewed, dropped ones are not, and leases that others have taken are reported once', async () => {
  const { renewal, asked, told } = renewalOf([1]);
  for (const [claim, token] of [1, 2, 3].entries()) renewal.take({ claim, hold: item(token) });
  renewal.take({ claim: 0, hold: item(1, true) });
  renewal.take({ claim: 2, drop: true });
  await renewal.renew(0);
  await renewal.renew(1);
  expect(asked).toEqual([[item(1, true), item(2)], [item(1, true)]]);
  expect(told).toEqual([{ lost: [1] }, { renewed: true }, { renewed: true }]);
});

it('a claim that was dropped and made again during a renewal is not lost', async () => {
  const { renewal, told } = renewalOf([]);
  renewal.take({ claim: 1, hold: item(7) });
  const renewing = renewal.renew(0);
  renewal.take({ claim: 1, drop: true });
  renewal.take({ claim: 2, hold: item(7) });
  await renewing;
  expect(told).toEqual([{ renewed: true }]);
});

it('a blocked main thread keeps its leases for a minute, and then loses them until it responds again', async () => {
  const { renewal, asked, main } = renewalOf([1]);
  renewal.take({ claim: 1, hold: item(1) });
  const renewedAt = async (now: number): Promise<number> => (await renewal.renew(now), asked.length);
  expect(await renewedAt(0)).toBe(1);
  expect(await renewedAt(MAX_BLOCKED_MS)).toBe(2);
  expect(await renewedAt(MAX_BLOCKED_MS + 1)).toBe(2);
  main.beats++;
  expect(await renewedAt(MAX_BLOCKED_MS + 2)).toBe(3);
});

it('a failed renewal reports why, and the next one is attempted', async () => {
  const { renewal, told, database } = renewalOf([1]);
  renewal.take({ claim: 1, hold: item(1) });
  database.isGone = true;
  await renewal.renew(0);
  database.isGone = false;
  await renewal.renew(1);
  expect(told).toEqual([{ failed: 'no connection' }, { renewed: true }]);
});

it('a thread that does not know the held leases yet does not report that it renews them', async () => {
  const { renewal, told } = renewalOf([1]);
  await renewal.renew(0);
  expect(told).toEqual([]);
  renewal.take({ claim: 1, hold: item(1) });
  await renewal.renew(1);
  expect(told).toEqual([{ renewed: true }]);
});
