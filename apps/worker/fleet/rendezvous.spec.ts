import { countBefore } from './rendezvous.js';

const workers = Array.from({ length: 20 }, (_, n) => ({ id: `worker-${n}` }));
const keys = Array.from({ length: 2000 }, (_, n) => `lane ${n}`);
const ownerOf = (key: string, among: readonly { id: string }[]): string =>
  among.find(({ id }) => countBefore(key, id, among) === 0)!.id;

it('all workers rank the same workers alike, each once', () => {
  for (const key of keys.slice(0, 50))
    expect(new Set(workers.map(({ id }) => countBefore(key, id, [...workers].reverse())))).toEqual(
      new Set(workers.keys()),
    );
});

it('every worker owns about as many keys as the others', () => {
  const owned = Map.groupBy(keys, (key) => ownerOf(key, workers));
  for (const { id } of workers) {
    expect(owned.get(id)!.length).toBeGreaterThan(60);
    expect(owned.get(id)!.length).toBeLessThan(140);
  }
});

it('when a worker leaves, only its keys change hands', () => {
  const rest = workers.slice(1);
  for (const key of keys) {
    const before = ownerOf(key, workers);
    if (before !== workers[0]!.id) expect(ownerOf(key, rest)).toBe(before);
  }
});
