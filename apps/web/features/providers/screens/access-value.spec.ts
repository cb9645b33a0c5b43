import { accessRequest, headersOf, neededAgain, refOf, type StoredAccess } from './access-value.js';

const certificate = { subject: 'CN=toolmark', issuer: 'CN=CA', expires_at: '2027-01-01T00:00:00Z', sha256: 'ab' };
const stored: StoredAccess = {
  base_url: 'https://llm.example.com/v1',
  api_key_set: true,
  api_key_last4: '1234',
  api_key_ref: null,
  headers: [
    { name: 'X-Key', kind: 'secret' },
    { name: 'x-team', kind: 'routing' },
  ],
  client_certificate: certificate,
};

describe('how a provider is asked, as a form sends it', () => {
  it('omits all that stays as stored, and of headers the values that stay', () => {
    expect(accessRequest({})).toEqual({});
    const [key, team] = headersOf({}, stored);
    expect(accessRequest({ headers: [key!, { ...team!, value: 'ads' }] })).toEqual({
      headers: [
        { name: 'X-Key', kind: 'secret' },
        { name: 'x-team', kind: 'routing', value: 'ads' },
      ],
    });
    expect(accessRequest({ apiKey: null, certificate: null })).toEqual({ api_key: null, client_certificate: null });
  });

  it('takes a key by reference or an entered one, not both', () => {
    const byReference = { ...stored, api_key_ref: 'env:KEY' };
    expect(refOf({}, byReference)).toBe('env:KEY');
    expect(refOf({ keyRef: null, apiKey: 'sk' }, byReference)).toBe('');
    expect(accessRequest({ keyRef: null, apiKey: 'sk' })).toEqual({ api_key: 'sk' });
    expect(accessRequest({ keyRef: null })).toEqual({ api_key_ref: null });
  });

  it('needs its secrets again at another origin, unless they are given or removed', () => {
    const elsewhere = 'https://other.example.com/v1';
    expect(neededAgain('https://llm.example.com/v2', {}, stored)).toEqual([]);
    expect(neededAgain('https://', {}, stored)).toEqual([]);
    expect(neededAgain(elsewhere, {}, stored)).toEqual([
      ...['the API key', 'the header X-Key', 'the header x-team', 'the client certificate'],
    ]);
    const [key, team] = headersOf({}, stored);
    const given = {
      apiKey: 'sk',
      headers: [
        { ...key!, value: 'k' },
        { ...team!, value: 'ads' },
      ],
      certificate: null,
    };
    expect(neededAgain(elsewhere, given, stored)).toEqual([]);
    expect(neededAgain(elsewhere, { ...given, headers: [team!] }, stored)).toEqual(['the header x-team']);
  });
});
