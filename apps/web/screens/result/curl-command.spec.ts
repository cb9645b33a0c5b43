import { execFileSync } from 'node:child_process';
import { parseJson } from '#lib/contracts/json/json';
import { curlCommand } from './curl-command.js';

it('a request copied as curl reaches the command as it was, and holds no key', () => {
  const text = JSON.stringify({ model: 'it\'s $HOME `id` \\ "x"\n', n: 5 }).replace(':5', ':5.0');
  const command = curlCommand(parseJson(text)).replace('curl', `printf '%s\\n'`);
  const env = { BASE_URL: 'http://b', API_KEY: 'k' };
  const words = execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }).split('\n');
  expect(words.slice(0, -1)).toEqual([
    'http://b/chat/completions',
    '-H',
    'authorization: Bearer k',
    '-H',
    'content-type: application/json',
    '--data-raw',
    text,
  ]);
});
