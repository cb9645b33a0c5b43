import { BytesInHand } from './bytes-in-hand.js';

const bounds = { ofTeam: 10, ofAll: 15, ofLarge: 15, waitMs: 60_000 };
const soon = { ...bounds, waitMs: 1 };

describe('bodies in memory', () => {
  it('of one team wait for each other, not for another team', async () => {
    const inHand = new BytesInHand(bounds);
    const first = await inHand.take('a', 8);
    const order: string[] = [];
    const waiting = inHand.take('a', 3).then((giveBack) => (order.push('a'), giveBack));
    const ofOther = await inHand.take('b', 5);
    order.push('b');
    first();
    (await waiting)();
    ofOther();
    expect(order).toEqual(['b', 'a']);
  });

  it('that wait for their own team let others pass', async () => {
    const inHand = new BytesInHand(bounds);
    const [first, ofOther] = [await inHand.take('a', 10), await inHand.take('b', 5)];
    const waiting = inHand.take('a', 4);
    const behind = inHand.take('b', 5);
    ofOther();
    await behind;
    first();
    await waiting;
  });

  it.each([
    ['the team', 'a', 429, /^Your team is sending bodies of /],
    ['all', 'b', 503, /^Bodies of .* in flight/],
  ])('beyond the limit of %s are refused after a while', async (_of, owner, status, message) => {
    const inHand = new BytesInHand(soon);
    const giveBack = await inHand.take('a', 10);
    await expect(inHand.take(owner, 6)).rejects.toMatchObject({
      status,
      message: expect.stringMatching(message),
      retryAfterMs: 5000,
    });
    giveBack();
    await inHand.take(owner, 6);
  });

  it('have room for small ones when large ones wait', async () => {
    const inHand = new BytesInHand({ ofTeam: 200_000, ofLarge: 200_000, ofAll: 201_000, waitMs: 1 });
    await inHand.take('a', 200_000);
    await expect(inHand.take('b', 70_000)).rejects.toMatchObject({ status: 503 });
    await inHand.take('b', 1000);
    await expect(inHand.take('b', 1)).rejects.toMatchObject({ status: 503 });
  });

  it('are released once, however often release is called', async () => {
    const inHand = new BytesInHand(soon);
    const giveBack = await inHand.take('a', 10);
    giveBack();
    giveBack();
    await inHand.take('a', 10);
    await expect(inHand.take('a', 1)).rejects.toMatchObject({ status: 429 });
  });
});
