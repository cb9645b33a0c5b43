import { Fingerprints } from './fingerprints.js';

it('candidates with the same words have the same fingerprint, and others differ', () => {
  const fingerprints = new Fingerprints();
  const print = fingerprints.of({ system_prompt: 'Be brief.\nCall tools.', 'tools/a/description': '' });
  expect(fingerprints.of({ 'tools/a/description': ' \n', system_prompt: '  Be  brief. Call\ttools. ' })).toBe(print);
  expect(fingerprints.of({ system_prompt: 'Be brief. Call tools.' })).not.toBe(print);
  expect(fingerprints.of({ system_prompt: 'Be brief. Call Tools.', 'tools/a/description': '' })).not.toBe(print);
  expect(fingerprints.of({ a: 'x","b', b: '' })).not.toBe(fingerprints.of({ a: 'x', b: '' }));
  // Commands are keyed by fingerprints, across processes.
  expect(new Fingerprints().of({ a: 'x' })).toBe(fingerprints.of({ a: 'x' }));
});
