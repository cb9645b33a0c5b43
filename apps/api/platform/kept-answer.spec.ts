import { KeptAnswer } from './kept-answer.js';

describe('a kept answer', () => {
  it('is computed once for concurrent and later callers', async () => {
    let made = 0;
    const answer = new KeptAnswer(async () => `made ${++made}`);
    const asked = await Promise.all(Array.from({ length: 20 }, () => answer.bytes()));
    expect(new Set(asked.map(String))).toEqual(new Set(['made 1']));
    expect(await answer.bytes()).toBe(asked[0]);
  });

  it('is computed again when it is too old', async () => {
    let made = 0;
    const answer = new KeptAnswer(() => `made ${++made}`, -1);
    expect([String(await answer.bytes()), String(await answer.bytes())]).toEqual(['made 1', 'made 2']);
  });

  it('that failed is computed again for the next caller', async () => {
    let made = 0;
    const answer = new KeptAnswer(() => {
      if (++made === 1) throw new Error('not yet');
      return `made ${made}`;
    });
    await expect(answer.bytes()).rejects.toThrow('not yet');
    expect(String(await answer.bytes())).toBe('made 2');
  });
});
