import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPath } from './attempts.js';
import { membershipsOf, type Claims } from './rules.js';
import { readSignInFile, SignInFault } from './sign-in-file.js';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'toolmark-sign-in-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const URL_OF_PAGE = 'https://toolmark.example.com';
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const read = (text: string, publicUrl: string | undefined = URL_OF_PAGE) =>
  readSignInFile(write('sign-in.yaml', text), publicUrl);
const faultsOf = (text: string, publicUrl: string | undefined = URL_OF_PAGE): string[] => {
  try {
    read(text, publicUrl);
    return [];
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error;
    return error.message.split('\n').slice(1);
  }
};

const FILE = `
providers:
  - id: company
    name: Company account
    issuer: https://sso.example.com/realms/main
    client_id: toolmark
    client_secret_file: secret
    scopes: [profile, email, groups]
    parameters: {prompt: select_account}
    rules:
      - {group: engineers, team: default, role: editor}
      - {domain: Example.com, team: default, role: viewer}
      - {claim: realm_access.roles, value: lead, team: research, role: owner}
`;

describe('the file of sign-in providers', () => {
  it('has what a provider needs, and its secret may lie in another file', () => {
    write('secret', ' s3cret\n');
    expect(read(FILE)).toEqual([
      {
        id: 'company',
        name: 'Company account',
        issuer: 'https://sso.example.com/realms/main',
        client_id: 'toolmark',
        client_secret: 's3cret',
        scope: 'openid profile email groups',
        redirect_uri: 'https://toolmark.example.com/api/sign-in/company/callback',
        parameters: { prompt: 'select_account' },
        groups_claim: 'groups',
        reread_minutes: 60,
        rules: [
          { group: 'engineers', team: 'default', role: 'editor' },
          { domain: 'example.com', team: 'default', role: 'viewer' },
          { claim: 'realm_access.roles', value: 'lead', team: 'research', role: 'owner' },
        ],
      },
    ]);
    expect(readSignInFile(undefined, undefined)).toEqual([]);
  });

  it('is refused with every wrong place at once', () => {
    write('empty', '\n');
    const wrong = `
providers:
  - {id: A b, name: x, issuer: http://sso.example.com, client_id: x, client_secret: x, client_secret_file: y, hidden: 1}
  - id: x
    name: X
    issuer: https://sso.example.com/?a=1
    client_id: 12
    parameters: {state: fixed}
    rules:
      - {group: a, domain: example.com, team: t, role: viewer}
      - {claim: a, team: t, role: admin}
      - {domain: '@example.com', team: t, role: viewer}
      - {team: t, role: viewer}
`;
    expect(faultsOf(wrong)).toEqual([
      '  providers/0/id must have 1 to 40 small letters, digits and hyphens',
      '  providers/0/issuer must be an https URL; http is for this machine only',
      '  providers/0/hidden is not a field of this object. Is it misspelt?',
      '  providers/0 must have exactly one of "client_secret" and "client_secret_file"',
      '  providers/1/issuer must be a URL without a query, a fragment or a password',
      '  providers/1/client_id must be of type string',
      '  providers/1/parameters/state is set by Toolmark',
      '  providers/1/rules/0 must have exactly one of "group", "domain", or "claim" with "value"',
      '  providers/1/rules/1/role must be one of "viewer", "editor", "owner"',
      '  providers/1/rules/1 needs both "claim" and "value"',
      '  providers/1/rules/2/domain must be a domain such as example.com',
      '  providers/1/rules/3 must have exactly one of "group", "domain", or "claim" with "value"',
      '  providers/1 must have exactly one of "client_secret" and "client_secret_file"',
    ]);
    const one = (id: string, more: string) =>
      `  - {id: ${id}, name: x, issuer: http://localhost:1, client_id: x, ${more}}`;
    const twins = ['providers:', one('a', 'client_secret_file: empty'), one('a', 'client_secret_file: absent')];
    expect(faultsOf(twins.join('\n'))).toEqual([
      '  providers/1/id is taken by another entry',
      '  providers/1/issuer is taken by another entry',
    ]);
    expect(faultsOf([twins[0], twins[1]].join('\n'), '')).toEqual([
      '  providers/0/client_secret_file names an empty file',
    ]);
    expect(faultsOf([twins[0], twins[2]].join('\n'), undefined)[0]).toMatch(
      /client_secret_file names .* does not exist$/,
    );
    expect(faultsOf('providers: [')).toEqual([expect.stringMatching(/^ {2}It is not YAML at line 1, column \d+: /)]);
    expect(faultsOf('')).toEqual(['  It must be of type object']);
    const bomb = [
      'a0: &a0 [1]',
      ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`),
    ];
    expect(faultsOf(bomb.join('\n'))[0]).toMatch(/It is not usable: /);
    expect(() => readSignInFile(join(folder, 'absent.yaml'), undefined)).toThrow(
      /It does not exist\n {2}TOOLMARK_PUBLIC_URL must be set/,
    );
  });
});

describe('rules', () => {
  const given = (claims: Claims, issuer = 'https://sso.example.com') =>
    membershipsOf(
      {
        issuer,
        groups_claim: 'groups',
        rules: [
          { group: 'engineers', team: 'default', role: 'editor' },
          { domain: 'example.com', team: 'default', role: 'viewer' },
          { claim: 'realm_access.roles', value: 'lead', team: 'research', role: 'owner' },
          { claim: 'https://example.com/on_call', value: true, team: 'default', role: 'owner' },
        ],
      },
      claims,
    ).map(({ team, role }) => `${role} of ${team}`);

  it('give each team with the highest role, by groups, domains and claims', () => {
    const verified = { email: 'ada@EXAMPLE.com', email_verified: true };
    expect(given(verified)).toEqual(['viewer of default']);
    expect(given({ ...verified, groups: ['engineers'] })).toEqual(['editor of default']);
    expect(given({ groups: 'engineers', realm_access: { roles: ['lead'] } })).toEqual([
      'editor of default',
      'owner of research',
    ]);
    expect(given({ groups: ['engineers'], 'https://example.com/on_call': true })).toEqual(['owner of default']);
  });

  it('believe no address that is not verified, at Google none at all, and no group that is not one', () => {
    for (const claims of [
      { email: 'ada@example.com' },
      { email: 'ada@example.com', email_verified: 'true' },
      { email: 'ada@example.com.evil.example', email_verified: true },
      { email: 'ada@example.com@evil.example', email_verified: true },
      { hd: 'example.com' },
      { groups: ['Engineers', 'engineers ', { engineers: true }, null] },
      { groups: { engineers: 'engineers' } },
      { realm_access: 'lead' },
      {},
    ])
      expect([claims, given(claims)]).toEqual([claims, []]);
    const google = 'https://accounts.google.com';
    expect(given({ email: 'ada@example.com', email_verified: true }, google)).toEqual([]);
    expect(given({ email: 'ada@gmail.com', hd: 'example.com' }, google)).toEqual(['viewer of default']);
  });
});

it('opens no page of others after a sign-in', () => {
  for (const path of ['/runs/1?status=failed&q=%2F%2Fx#top', '/']) expect(ownPath(path)).toBe(path);
  const others = ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', 'runs', ''];
  for (const path of [...others, '/\t/evil.example', '/runs\n', '/a\\b', '/api/session', undefined])
    expect([path, ownPath(path)]).toEqual([path, '/']);
  expect(ownPath(`/runs?q=${'x'.repeat(1000)}`)).toBe('/runs');
});
