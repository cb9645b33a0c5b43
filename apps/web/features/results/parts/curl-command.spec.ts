import { execFileSync } from 'node:child_process';
import { parseJson } from '#lib/contracts/json/json';
import { curlCommand, type CurlCommand } from './curl-command.js';

const VARIABLES = {
  API_KEY: 'k',
  HEADER_X_TEAM: '$(id)',
  HEADER_X_TEAM_2: 'b',
  CLIENT_CERTIFICATE: 'c',
  CLIENT_KEY: 'd',
};

/** The arguments that a shell would pass to curl. */
const argumentsOf = (command: CurlCommand | undefined): string[] =>
  execFileSync('sh', ['-c', command!.text.replace('curl', `printf '%s\\n'`)], { env: VARIABLES, encoding: 'utf8' })
    .split('\n')
    .slice(0, -1);

describe('a request copied as curl', () => {
  it('keeps the request unchanged and contains no key', () => {
    const text = JSON.stringify({ model: 'it\'s $HOME `id` \\ "x"\n', n: 5 }).replace(':5', ':5.0');
    const command = curlCommand({ kind: 'openai', base_url: 'http://h/v1/' }, parseJson(text));
    expect(argumentsOf(command)).toEqual([
      'http://h/v1/chat/completions',
      '-H',
      'authorization: Bearer k',
      '-H',
      'content-type: application/json',
      '--data-raw',
      text,
    ]);
  });

  it('sends the API version of the provider as a header', () => {
    const command = curlCommand({ kind: 'anthropic', base_url: 'http://h' }, { anthropic_version: '2024-01-01', n: 1 });
    expect(argumentsOf(command)).toEqual([
      'http://h/v1/messages',
      '-H',
      'x-api-key: k',
      '-H',
      'content-type: application/json',
      '-H',
      'anthropic-version: 2024-01-01',
      '--data-raw',
      '{"n":1}',
    ]);
  });

  it('leaves the values of headers and the client certificate to variables, whatever a name looks like', () => {
    const headers = ['x-team', 'x`team', 'X$HOME'].map((name) => ({ name, kind: 'secret' as const }));
    const certificate = { subject: 'a', issuer: 'b', expires_at: '', sha256: '' };
    const provider = {
      kind: 'openai',
      base_url: 'http://h',
      api_key_set: false,
      headers,
      client_certificate: certificate,
    };
    const command = curlCommand(provider, {});
    expect(argumentsOf(command).slice(1, -2)).toEqual([
      ...['-H', 'content-type: application/json'],
      ...['-H', 'x-team: $(id)', '-H', 'x`team: b', '-H', 'X$HOME: '],
      ...['--cert', 'c', '--key', 'd'],
    ]);
    const files = ['CLIENT_CERTIFICATE', 'CLIENT_KEY'];
    expect(command!.variables).toEqual(['HEADER_X_TEAM', 'HEADER_X_TEAM_2', 'HEADER_X_HOME', ...files]);
  });

  it('is not offered where the stored and the sent request differ', () => {
    expect(curlCommand({ kind: 'google', base_url: 'http://h' }, {})).toBeUndefined();
  });
});
