import { itemsAllowed, mayContinue, type Budget } from './run-budget.js';

const budget = (more: Partial<Budget>): Budget => ({
  maxRequests: null,
  maxCost: null,
  capLeft: null,
  tokenLeft: null,
  tokenName: null,
  isStorageFull: false,
  hasConversations: true,
  mostRounds: null,
  requests: 0,
  cost: 0,
  settled: 0,
  inFlight: 0,
  ...more,
});

/** Plays conversations in waves, as the dispatcher and the workers would. @param costUsd of a request */
function play({ count, rounds, costUsd = 0.01, limits }: Record<'count' | 'rounds', number> & Plan) {
  const waiting = Array<number>(count).fill(0);
  let [flying, requests, settled] = [[] as number[], 0, 0];
  const now = () => budget({ ...limits, requests, cost: requests * costUsd, settled, inFlight: flying.length });
  for (;;) {
    flying.push(...waiting.splice(0, itemsAllowed(now())));
    if (flying.length === 0) return { requests, settled };
    // Each has a request under way, and their replies arrive one after another.
    for (const made of [...flying]) {
      requests++;
      const goesOn = made + 1 < rounds && mayContinue(now());
      flying = flying.slice(1);
      if (made + 1 === rounds) settled++;
      else (goesOn ? flying : waiting)[goesOn ? 'push' : 'unshift'](made + 1);
    }
  }
}
interface Plan {
  costUsd?: number;
  limits: Partial<Budget>;
}

it.each([
  [1, 1000],
  [2, 500],
  [5, 200],
  [10, 100],
  [20, 10],
])('a limit of requests is used for conversations that end: of %i rounds', (rounds, ended) => {
  const { requests, settled } = play({ count: 2000, rounds, limits: { maxRequests: 1000 } });
  expect(requests).toBe(1000);
  expect(settled).toBeGreaterThanOrEqual(ended);
});

it.each([
  [1, 12, 1000],
  [4, 12, 250],
  [20, 20, 50],
  [20, 50, 20],
  [50, 50, 20],
])(
  'long ones, of %i rounds out of %i, do not spend it together before any of them ends',
  (rounds, mostRounds, ended) => {
    const { requests, settled } = play({ count: 2000, rounds, limits: { maxRequests: 1000, mostRounds } });
    expect(requests).toBe(1000);
    expect(settled).toBeGreaterThanOrEqual(ended);
  },
);

it('so is a limit of cost', () => {
  const { settled } = play({ count: 500, rounds: 5, limits: { maxCost: 10 } });
  expect(settled).toBeGreaterThan(160);
});

it('items without conversations are dispatched by their requests', () => {
  const plain = { hasConversations: false, maxRequests: 1000, requests: 100, settled: 20, inFlight: 50 };
  expect(itemsAllowed(budget(plain))).toBe(850);
  expect(itemsAllowed(budget({ ...plain, hasConversations: true }))).toBeLessThan(850 / 2);
});
