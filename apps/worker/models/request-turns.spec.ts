import { RequestTurns } from './request-turns.js';

const never = new AbortController().signal;

/** A loop that was idle or busy for ten milliseconds whenever it is looked at. */
function loop() {
  const times = { idle: 0, active: 0 };
  const self = {
    isBusy: true,
    times: () => {
      times[self.isBusy ? 'active' : 'idle'] += 10;
      return { ...times };
    },
  };
  return self;
}

/** Whether it has ended by the time that others of a fleet had many turns. */
async function hasEnded(promise: Promise<void>, turns: RequestTurns): Promise<boolean> {
  let ended = false;
  void promise.then(() => (ended = true));
  for (let n = 0; n < 20; n++) await turns.take('quiet', 0, never);
  return ended;
}

describe('The turns of requests', () => {
  it('A team that has a worker for itself never waits', async () => {
    const turns = new RequestTurns(loop().times);
    for (let n = 0; n < 1000; n++) await turns.take('busy', 10_000, never);
  });

  it('A team that sent more than its share waits while the loop is busy, and goes on when it is idle', async () => {
    const watched = loop();
    const turns = new RequestTurns(watched.times);
    turns.count('quiet', 0);
    for (let n = 0; n < 200; n++) turns.count('busy', 0);
    const waits = turns.take('busy', 0, never);
    expect(await hasEnded(waits, turns)).toBe(false);
    watched.isBusy = false;
    await waits;
  });

  it('Few large requests are more work than many small ones', async () => {
    const turns = new RequestTurns(loop().times);
    for (let n = 0; n < 30; n++) turns.count('quiet', 0);
    turns.count('large', 250_000);
    const waits = turns.take('large', 0, never);
    expect(await hasEnded(waits, turns)).toBe(false);
  });

  it('Who waits for a turn is stopped at once', async () => {
    const turns = new RequestTurns(loop().times);
    const stop = new AbortController();
    turns.count('quiet', 0);
    for (let n = 0; n < 200; n++) turns.count('busy', 0);
    const waits = turns.take('busy', 0, stop.signal);
    stop.abort(new Error('Cancelled.'));
    await expect(waits).rejects.toThrow('Cancelled.');
  });

  it('However busy the loop is, one goes on now and then', async () => {
    const turns = new RequestTurns(loop().times);
    turns.count('quiet', 0);
    for (let n = 0; n < 200; n++) turns.count('busy', 0);
    await turns.take('busy', 0, never);
    await turns.take('busy', 0, never);
  });
});
