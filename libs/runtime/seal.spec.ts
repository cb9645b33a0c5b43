import { Sealer, UnsealError } from './seal.js';

const [OLD, NEW, OTHER] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const single = Sealer.of({ TOOLMARK_SEALING_KEY: OLD });
const [onlyNew, both] = [new Sealer([NEW]), new Sealer([NEW, OLD])];

it('seals with the first key of a ring, and opens what any of its keys has sealed', () => {
  const [before, old, now] = [single, new Sealer([OLD]), both].map((sealer) => sealer.seal('sk-1', 'here'));
  for (const sealed of [before, old, now]) expect(both.open(sealed!, 'here')).toBe('sk-1');
  expect(onlyNew.open(now!, 'here')).toBe('sk-1');
  expect(new Sealer([OTHER, OLD]).open(old!, 'here')).toBe('sk-1');
  expect(single.open(old!, 'here')).toBe('sk-1');
  expect([before, old, now].map((sealed) => sealed!.startsWith(both.prefix))).toEqual([false, false, true]);
});

it('a single key seals as the release before does, which says no key', () => {
  expect(single.seal('sk-1', 'here')).toMatch(/^v1\.[\w-]+$/);
  expect(both.seal('sk-1', 'here')).toMatch(new RegExp(`^v2\\.${both.keyIds[0]}\\.[\\w-]+$`));
  expect(Sealer.of({ TOOLMARK_SEALING_KEY: OLD, TOOLMARK_SEALING_KEYS: [OLD] }).prefix).toBe(`v2.${both.keyIds[1]}.`);
});

it('the id of a key is the one that the documented command prints, in either case of its digits', () => {
  // printf 'toolmark sealing key %s' KEY | sha256sum | cut -c 1-8
  expect(both.keyIds).toEqual(['df6d8d49', '67b1f50e']);
  expect(new Sealer([NEW.toUpperCase()]).keyIds).toEqual(['df6d8d49']);
});

it('says which key is missing, as far as it knows, and what else can be wrong', () => {
  const why = (sealer: Sealer, sealed: string, context = 'here'): string => {
    try {
      return sealer.open(sealed, context);
    } catch (error) {
      expect(error).toBeInstanceOf(UnsealError);
      return (error as Error).message;
    }
  };
  const [newId, oldId] = both.keyIds;
  expect(why(onlyNew, new Sealer([OLD]).seal('sk-1', 'here'))).toBe(
    `A sealed secret cannot be opened: it was sealed with the key ${oldId}, which TOOLMARK_SEALING_KEYS does not ` +
      `have (it has ${newId}). Add that key at the end of TOOLMARK_SEALING_KEYS, or enter the secret again.`,
  );
  expect(why(onlyNew, single.seal('sk-1', 'here'))).toMatch(/with a key that .* does not say which one/);
  for (const damaged of [both.seal('sk-1', 'elsewhere'), `v2.${newId}.AAAA`])
    expect(why(both, damaged)).toMatch(/it is damaged, or was moved from another place/);
  for (const odd of ['', 'v1.', 'v2.', 'v3.df6d8d49.AAAA', 'v2.df6d8d49', 'sk-1'])
    expect(why(both, odd)).toMatch(/cannot be opened/);
  for (const message of [why(both, ''), why(single, '')]) expect(message).not.toMatch(/aaaa|bbbb/);
});

it('fingerprints depend on their own key alone', () => {
  const before = new Sealer([OLD], { fingerprintKey: OLD }).fingerprint('credential', 'sk-1');
  const after = new Sealer([NEW], { fingerprintKey: OLD });
  expect(after.fingerprint('credential', 'sk-1')).toBe(before);
  expect(after.fingerprint('credential', 'sk-2')).not.toBe(before);
  expect(both.keyOfFingerprint(before, 'credential', 'sk-1')).toBe(OLD);
  expect(both.keyOfFingerprint(before, 'credential', 'sk-2')).toBeUndefined();
  expect(() => both.fingerprint('credential')).toThrow(/was not loaded/);
});
