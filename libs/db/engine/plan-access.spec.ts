import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { NO_KEY_REFS, type KeyRefs } from '#lib/runtime/key-refs';
import { Sealer } from '#lib/runtime/seal';
import { SELF_SIGNED } from '../../../test/self-signed.js';
import { AccessPlan, NO_ACCESS, readAccess, type AccessBefore } from './plan-access.js';

const sealer = new Sealer(['ab'.repeat(32)], { fingerprintKey: 'ab'.repeat(32) });
const REFS: KeyRefs = { find: (ref, use) => (ref === 'env:MINE' ? 'sk-kept-elsewhere' : NO_KEY_REFS.find(ref, use)) };
const deps = { sealer, keyRefs: REFS };
const ID = '0190a000-0000-7000-8000-000000000001';

const made = (input: object, kind = 'openai') => {
  const parsed = ProviderInput.parse({ key: 'p', base_url: 'https://api.openai.com/v1', kind, ...input });
  const plan = new AccessPlan(
    { id: ID, team_id: 't', kind: parsed.kind, base_url: parsed.base_url, ...NO_ACCESS },
    readAccess(parsed),
    deps,
  );
  const row: AccessBefore = { id: ID, team_id: 't', kind: parsed.kind, ...plan.columns };
  return { plan, row, fingerprint: plan.fingerprint() };
};
const changed = (row: AccessBefore, patch: object) => new AccessPlan(row, readAccess(ProviderPatch.parse(patch)), deps);
const valuesOf = ({ columns }: AccessPlan) => JSON.parse(sealer.open(columns.sealed_headers!, `${ID} headers`));
const faults = (work: () => unknown): [string, string[]] => {
  try {
    work();
  } catch (error) {
    const { message, errors = [] } = error as { message: string; errors?: { path: string }[] };
    return [message, errors.map(({ path }) => path)];
  }
  return ['', []];
};

it('lanes of providers without headers, reference and certificate keep their fingerprints of earlier releases', () => {
  expect(made({ api_key: 'sk-golden-0123456789' }).fingerprint).toBe('IyByDzRg0xy3Hkukj5Wxd9D-s2CuHXWsSn_lFAnqPCQ');
  expect(made({ base_url: 'http://127.0.0.1:8502/v1' }).fingerprint).toBe(
    'SSct_tOYfkBhNjaM0ju8Vc2OQMz2oNmyLF6bWZJY7aU',
  );
});

it('a lane is shared by the names of secret headers, by the values of routing ones, and by the credential', () => {
  const at = (headers: object[], more: object = {}) => made({ headers, ...more }).fingerprint;
  const secret = (value: string, name = 'X-Team') => ({ name, value });
  const routing = (value: string) => ({ name: 'X-Team', kind: 'routing', value });
  expect(at([secret('a')])).toBe(at([secret('b', 'x-team')]));
  expect(at([secret('a'), secret('c', 'b')])).toBe(at([secret('c', 'b'), secret('a')]));
  const all = [
    at([]),
    at([secret('a')]),
    at([secret('a', 'X-Other')]),
    at([routing('a')]),
    at([routing('b')]),
    at([secret('Bearer a', 'Authorization')]),
    at([secret('Bearer b', 'Authorization')]),
    at([], { api_key_ref: 'env:MINE' }),
    at([], { api_key: 'sk-kept-elsewhere' }),
  ];
  expect(new Set(all).size).toBe(all.length);
});

describe('headers of a provider', () => {
  const refused = (headers: object[], more: object = {}, kind?: string) =>
    faults(() => made({ headers, ...more }, kind))[0];
  it.each([
    ...['Host', 'content-length', 'Connection', 'transfer-encoding', 'Proxy-Authorization', 'Expect', 'accept'],
  ])('cannot be %s', (name) => {
    expect(refused([{ name, value: 'v' }])).toMatch(/is set by Toolmark itself/);
  });

  it('are not given twice, and carry a key only in place of the key', () => {
    expect(faults(() => made({ headers: ['X-Team', 'x-team'].map((name) => ({ name, value: 'v' })) }))).toEqual([
      'The header "x-team" is given twice.',
      ['/headers/1/name'],
    ]);
    const bearer = { name: 'Authorization', value: 'Bearer x' };
    expect(refused([bearer])).toBe('');
    expect(refused([bearer], { api_key: 'sk-1' })).toMatch(/carries the key of the provider/);
    expect(refused([bearer], { api_key_ref: 'env:MINE' })).toMatch(/carries the key of the provider/);
    expect(refused([{ ...bearer, kind: 'routing' }])).toMatch(/its kind must be "secret"/);
    const key = { name: 'x-api-key', value: 'k' };
    expect(refused([{ ...key, kind: 'routing' }], { api_key: 'sk-1' })).toMatch(/its kind must be "secret"/);
    expect(refused([key], { api_key: 'sk-1' })).toBe('');
    expect(refused([key], { api_key: 'sk-1' }, 'anthropic')).toMatch(/carries the key of the provider/);
    const { row } = made({ headers: [key], api_key: 'sk-1' });
    expect(faults(() => changed(row, { kind: 'anthropic' }))[0]).toMatch(/carries the key of the provider/);
  });

  it('cannot have a name that objects do not keep', () => {
    const named = (name: string) => made({ headers: [{ name, value: 'v' }] }).plan;
    expect(faults(() => named('__proto__'))).toEqual([
      'The header "__proto__" is not a name that Toolmark can store.',
      ['/headers/0/name'],
    ]);
    expect(valuesOf(named('constructor'))).toEqual({ constructor: 'v' });
  });

  it('have at most 12 KiB together', () => {
    const headers = Array.from({ length: 4 }, (_, n) => ({ name: `x-${n}`, value: 'v'.repeat(3500) }));
    expect(refused(headers)).toMatch(/14012 bytes together, and 12288 are allowed/);
  });

  it('keep the values that a change leaves out, and those that are new need one', () => {
    const { row } = made({
      headers: [
        { name: 'X-A', value: 'a' },
        { name: 'X-B', kind: 'routing', value: 'b' },
      ],
    });
    const next = changed(row, { headers: [{ name: 'x-b' }, { name: 'X-C', value: 'c' }] });
    expect(valuesOf(next)).toEqual({ 'x-b': 'b', 'X-C': 'c' });
    expect(JSON.parse(next.columns.headers)).toEqual([
      { name: 'x-b', kind: 'routing', digest: expect.any(String) },
      { name: 'X-C', kind: 'secret' },
    ]);
    const same = changed(row, { headers: [{ name: 'X-A' }, { name: 'X-B' }] });
    expect(same.columns).toEqual(expect.objectContaining({ headers: row.headers, sealed_headers: row.sealed_headers }));
    expect(faults(() => changed(row, { headers: [{ name: 'X-D' }] }))).toEqual([
      'The header "X-D" is new, so it needs a value.',
      ['/headers/0/value'],
    ]);
    expect(faults(() => changed(row, { headers: [{ name: 'X-A', kind: 'routing' }] }))[1]).toEqual([
      '/headers/0/value',
    ]);
    expect(changed(row, { headers: [] }).columns).toMatchObject({ headers: '[]', sealed_headers: null });
  });

  it('can be replaced when no sealing key opens them any more', () => {
    const { row } = made({ headers: [{ name: 'X-A', value: 'a' }] });
    const lost = { ...row, sealed_headers: new Sealer(['ff'.repeat(32)]).seal('{}', `${ID} headers`) };
    expect(faults(() => changed(lost, { headers: [{ name: 'X-A' }] }))[0]).toMatch(/cannot be opened/);
    expect(valuesOf(changed(lost, { headers: [{ name: 'X-A', value: 'b' }] }))).toEqual({ 'X-A': 'b' });
  });
});

it('a key and a reference take the place of each other', () => {
  const { row } = made({ api_key: 'sk-first-0123456789' });
  const byRef = changed(row, { api_key_ref: 'env:MINE' });
  expect(byRef.columns).toMatchObject({ sealed_key: null, key_last4: null, api_key_ref: 'env:MINE' });
  const ofRef = { ...row, ...byRef.columns };
  expect(changed(ofRef, { api_key: 'sk-second-012345678' }).columns).toMatchObject({
    api_key_ref: null,
    key_last4: '5678',
  });
  expect(changed(ofRef, { api_key: null }).columns).toMatchObject({ api_key_ref: null, sealed_key: null });
  expect(changed(row, { api_key_ref: null }).columns.sealed_key).toBe(row.sealed_key);
  expect(faults(() => changed(row, { api_key: 'sk-1', api_key_ref: 'env:MINE' }))[1]).toEqual(['/api_key_ref']);
  const [why, places] = faults(() => changed(row, { api_key_ref: 'env:OTHER' }));
  expect([why, places]).toEqual([expect.stringMatching(/"env:OTHER" is not among the keys/), ['/api_key_ref']]);
});

describe('a client certificate', () => {
  const pair = { certificate: SELF_SIGNED.cert, private_key: SELF_SIGNED.key };
  const locked = createPrivateKey(SELF_SIGNED.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'open',
  });
  /** Made with: openssl pkcs8 -topk8 -iter 100001 */
  const SLOW = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHtMFgGCSqGSIb3DQEFDTBLMCoGCSqGSIb3DQEFDDAdBAg7jGgtp39B5QIDAYah
MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBCHCMuFJEhRMaXjuP0QswDuBIGQ
Yy+fF8tSSxAxfi/fIqYbl67LMhwEI8Haq19zMpJDGH2t/2lSkS+l9zljgHOfMcKY
gFU/rloOvLAKpzJzE8+zpFNDzb5Bn1AbYTbJLxQlGRmnNv3uAlDlGx3rQ3hxgSQU
xwbhg6DgEF7H8MxviHww53IxzstARyKJ1j7mYDSiTG+5Yz26iKzaMpwqMFU4/2yz
-----END ENCRYPTED PRIVATE KEY-----
`;

  /** Made with: openssl pkcs8 -topk8 -scrypt -scrypt_N 2 -scrypt_r 1 -scrypt_p 1 */
  const BY_SCRYPT = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHjME4GCSqGSIb3DQEFDTBBMCAGCSsGAQQB2kcECzATBAiTvX+Y0oXlUgIBAgIB
AQIBATAdBglghkgBZQMEASoEEH38TSRwxBH5tcHc//tA5scEgZDEHszZV9yucPE/
ZrkJyej4VQYbJeE0uQWfznMNtAUF1d2nZbborJ/1v93GbUzJ5sdKETUTIx6A1quK
04ZO3SqnVloZhK46tasZUdZoncxik0nUv5gqFQIpnTONLdB23cOt939cIeO7oreW
VVTKiqWHfykLANO5oqDc2nxwMD4UodGpLjLtdgc7n/PnsphqLsU=
-----END ENCRYPTED PRIVATE KEY-----
`;

  it('is stored with what it says about itself, and its key without the passphrase', () => {
    const { row } = made({ client_certificate: { ...pair, private_key: locked, passphrase: 'open' } });
    expect(JSON.parse(row.client_certificate!)).toEqual({
      subject: 'O=Toolmark tests\\, trusted by nobody, CN=localhost',
      issuer: 'O=Toolmark tests\\, trusted by nobody, CN=localhost',
      expires_at: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      publicKeySha256: expect.any(String),
    });
    const opened = JSON.parse(sealer.open(row.sealed_client_certificate!, `${ID} certificate`));
    expect(opened).toEqual({ certificate: pair.certificate, privateKey: expect.stringContaining('BEGIN PRIVATE KEY') });
  });

  it('says what is wrong with it', () => {
    const why = (given: object, more: object = {}) => faults(() => made({ client_certificate: given, ...more }));
    expect(why({ ...pair, certificate: 'x' })).toEqual([
      expect.stringMatching(/not a certificate as PEM/),
      ['/client_certificate/certificate'],
    ]);
    expect(why({ ...pair, private_key: 'x' })[1]).toEqual(['/client_certificate/private_key']);
    expect(why({ ...pair, private_key: locked })[0]).toMatch(/passphrase is needed/);
    expect(why({ ...pair, private_key: locked, passphrase: 'no' })[0]).toMatch(/passphrase does not open the key/);
    expect(why(pair, { base_url: 'http://127.0.0.1/v1' })[0]).toMatch(/needs a base_url of https/);
    for (const slow of [SLOW, BY_SCRYPT])
      for (const form of [
        slow,
        slow.replace('KEY-----', 'KEY-----\nX: y\n'),
        slow.replaceAll('ENCRYPTED PRIVATE', 'PRIVATE'),
        `${SELF_SIGNED.key}${slow}`,
      ])
        expect(why({ ...pair, private_key: form, passphrase: 'open' })[0]).toMatch(/takes too long to open/);
    const { privateKey } = generateKeyPairSync('ed25519');
    const other = privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(why({ ...pair, private_key: other })[0]).toMatch(/private key is not the key of this certificate/);
  });

  it('stays at its origin with key and headers: another one needs them again', () => {
    const headers = [{ name: 'X-A', value: 'a' }];
    const { row } = made({ api_key: 'sk-first-0123456789', headers, client_certificate: pair });
    const base_url = 'https://evil.example/v1';
    expect(faults(() => changed(row, { base_url }))).toEqual([
      'The key and the headers and the client certificate were entered for another origin and do not move to ' +
        'https://evil.example with the address. Enter them again together with the address, or remove them if the ' +
        'endpoint needs none.',
      ['/api_key', '/headers', '/client_certificate'],
    ]);
    const again = { base_url, api_key: null, client_certificate: null };
    expect(faults(() => changed(row, { ...again, headers: [{ name: 'x-a' }] }))[1]).toEqual(['/headers/0/value']);
    expect(faults(() => changed(row, { ...again, headers }))[0]).toBe('');
    expect(faults(() => changed(row, { base_url: 'https://api.openai.com/v2' }))[0]).toBe('');
  });
});
