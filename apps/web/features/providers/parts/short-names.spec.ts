import { shortNames } from './short-names.js';

it('names lose the folders before them, unless two models would be called the same', () => {
  const short = shortNames([
    'a/models/llama',
    'b/models/llama',
    'a/models/qwen',
    'a/models/qwen',
    'plain',
    'odd/',
    'mini / large',
  ]);
  expect(['a/models/llama', 'a/models/qwen', 'plain', 'odd/', 'mini / large'].map(short)).toEqual([
    'a/models/llama',
    'qwen',
    'plain',
    'odd/',
    'mini / large',
  ]);
});
