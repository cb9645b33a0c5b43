import { KeptAnswer } from './kept-answer.js';

describe('an answer that is kept', () => {
  it('is made once for all who ask at the same time, and for those who ask later', async () => {
    let made = 0;
    const answer = new KeptAnswer(async () => `made ${++made}`);
    const asked = await Promise.all(Array.from({ length: 20 }, () => answer.bytes()));
    expect(new Set(asked.map(String))).toEqual(new Set(['made 1']));
    expect(await answer.bytes()).toBe(asked[0]);
  });

  it('is made again when it is too old', async () => {
    let made = 0;
    const answer = new KeptAnswer(() => `made ${++made}`, -1);
    expect([String(await answer.bytes()), String(await answer.bytes())]).toEqual(['made 1', 'made 2']);
  });

  it('that could not be made is made again for the next one who asks', async () => {
    let made = 0;
    const answer = new KeptAnswer(() => {
      if (++made === 1) throw new Error('not yet');
      return `made ${made}`;
    });
    await expect(answer.bytes()).rejects.toThrow('not yet');
    expect(String(await answer.bytes())).toBe('made 2');
  });
});
