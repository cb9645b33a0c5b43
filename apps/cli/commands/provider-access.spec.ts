import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { ApiError, type ApiClient } from '#lib/client/api-client';
import { addAccessOptions, changedHeaders, readAccess, sendProvider } from './provider-access.js';

const read = (...args: string[]) =>
  readAccess(
    addAccessOptions(new Command('x').exitOverride())
      .configureOutput({ outputError: () => {} })
      .parse(args, { from: 'user' })
      .opts(),
  );

describe('what a provider is sent', () => {
  beforeAll(() => void (process.env.TEST_GATEWAY_KEY = 'g-1'));
  afterAll(() => void delete process.env.TEST_GATEWAY_KEY);

  it('has secret headers from variables, and routing headers from arguments, which may contain "="', async () => {
    const given = ['--header-env', 'x-key=TEST_GATEWAY_KEY', '--routing-header', 'x-filter=a=b'];
    expect(await read(...given)).toEqual({
      headers: [
        { name: 'x-key', kind: 'secret', value: 'g-1' },
        { name: 'x-filter', kind: 'routing', value: 'a=b' },
      ],
    });
    expect(await read()).toEqual({});
    await expect(read('--header-env', 'x-key=TEST_NOT_SET')).rejects.toThrow('TEST_NOT_SET is not set');
    expect(() => read('--routing-header', 'x-team')).toThrow('Expected NAME=');
    expect(() => read('--api-key-ref', 'env:KEY', '--api-key-env', 'KEY')).toThrow('cannot be used with');
  });

  it('has a client certificate and its key from files, both of them', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'certificate-')), 'client.pem');
    writeFileSync(file, 'PEM\n');
    const files = ['--client-certificate', file, '--client-key', file];
    expect(await read(...files, '--client-key-passphrase-env', 'TEST_GATEWAY_KEY')).toEqual({
      client_certificate: { certificate: 'PEM\n', private_key: 'PEM\n', passphrase: 'g-1' },
    });
    await expect(read('--client-certificate', file)).rejects.toThrow('--client-key');
    await expect(read('--client-certificate', `${file}x`, '--client-key', file)).rejects.toThrow('There is no file');
  });

  it('keeps the headers that are neither given nor removed, whatever their case', () => {
    const headers = ['X-Team', 'X-Key', 'X-Old'].map((name) => ({ name, kind: 'routing' as const }));
    const team = { name: 'x-team', kind: 'secret' as const, value: 'ads' };
    expect(changedHeaders({ key: 'p', headers }, [team], ['x-old'])).toEqual([
      { name: 'X-Key', kind: 'routing' },
      team,
    ]);
    expect(() => changedHeaders({ key: 'p', headers }, [], ['X-Kee'])).toThrow('p has no header "X-Kee" to remove.');
  });
  it('is refused with the references that there are', async () => {
    const problem = {
      ...{ type: 'about:blank', title: 'Unprocessable', status: 422, detail: 'It is not among the keys.' },
      errors: [{ path: '/api_key_ref', message: 'It is not among the keys.' }],
    };
    const call = (method: string) =>
      method === 'GET'
        ? Promise.resolve({ items: [{ ref: 'env:OPENAI', origins: null }] })
        : Promise.reject(new ApiError(problem));
    await expect(sendProvider({ call } as unknown as ApiClient, 'POST', '/api/providers', {})).rejects.toMatchObject({
      lines: ['It is not among the keys.', 'Keys by reference that your team may use: env:OPENAI'],
    });
  });
});
