import { halvesOf } from './name-halves';

describe('the halves of a name', () => {
  it('keep the last ten characters', () => {
    expect(halvesOf('llama-v4-maverick-405b-56')).toEqual(['llama-v4-maveri', 'ck-405b-56']);
    expect(halvesOf('gpt-oss')).toEqual(['', 'gpt-oss']);
  });

  it('are one where letters are read from right to left, so that no word is torn', () => {
    for (const name of ['חושב / thinker', 'نموذج سريع instruct-v2', 'thinker / חושב'])
      expect(halvesOf(name)).toEqual([name, '']);
  });
});
