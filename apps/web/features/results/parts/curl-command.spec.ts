import { execFileSync } from 'node:child_process';
import { parseJson } from '#lib/contracts/json/json';
import { curlCommand } from './curl-command.js';

/** The arguments that a shell would pass to curl. */
const argumentsOf = (command: string | undefined): string[] =>
  execFileSync('sh', ['-c', command!.replace('curl', `printf '%s\\n'`)], { env: { API_KEY: 'k' }, encoding: 'utf8' })
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

  it('is not offered where the stored and the sent request differ', () => {
    expect(curlCommand({ kind: 'google', base_url: 'http://h' }, {})).toBeUndefined();
  });
});
