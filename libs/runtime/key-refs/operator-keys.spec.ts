import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../test/until.js';
import { createLogger } from '../logger.js';
import { readListedKeys } from './list-file.js';
import { OperatorKeys, type OperatorKeysOptions } from './operator-keys.js';
import { readSmallFile } from './small-file.js';

let folder: string;
let secrets: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolmark-keys-'));
  secrets = mkdtempSync(join(tmpdir(), 'toolmark-secrets-'));
});
afterEach(() => [folder, secrets].forEach((path) => rmSync(path, { recursive: true })));

const TEAMS = new Map([
  ['search', 'id of search'],
  ['ads', 'id of ads'],
]);
const OPENAI = 'https://api.openai.com';
const logger = createLogger('test', 'silent');
const path = (name: string): string => join(folder, name);
const write = (name: string, text: string): void => writeFileSync(path(name), text);
/** Lists keys: the rest of each entry by its reference. */
const listed = (entries: Record<string, object>): void =>
  write('list.yaml', JSON.stringify({ keys: Object.entries(entries).map(([ref, more]) => ({ ref, ...more })) }));
const open = async (teams: ReadonlyMap<string, string> = TEAMS, more: Partial<OperatorKeysOptions> = {}) => {
  const keys = await OperatorKeys.read({ file: path('list.yaml'), logger, lookMs: 3600_000, ...more });
  await keys.watch((names) => Promise.resolve(new Map([...teams].filter(([name]) => names.includes(name)))));
  return keys;
};
const by = (team: string, origin = OPENAI) => ({ teamId: `id of ${team}`, origin });
const FOR_SEARCH = { teams: ['search'] };
/** The key of the team `search`, or why it has none. */
const keyOf = (keys: OperatorKeys, ref: string, use = by('search')): string => {
  try {
    return keys.find(ref, use);
  } catch (error) {
    return (error as Error).message;
  }
};

it('a key is found by the teams of its entry alone, and goes to the origins of its entry alone', async () => {
  write('openai', ' sk-of-openai\n');
  const ref = `file:${path('openai')}`;
  process.env.KEY_OF_A_GATEWAY = 'sk-of-the-gateway';
  listed({ [ref]: { ...FOR_SEARCH, origins: ['https://API.openai.com:443/'] }, 'env:KEY_OF_A_GATEWAY': FOR_SEARCH });
  const keys = await open();
  expect(keys.find(ref, by('search'))).toBe('sk-of-openai');
  expect(keys.find('env:KEY_OF_A_GATEWAY', by('search', 'http://anywhere:1'))).toBe('sk-of-the-gateway');
  expect(keyOf(keys, ref, by('search', 'https://evil.example'))).toMatch(
    /^The operator lets the key .* be sent to https:\/\/api\.openai\.com only, not to https:\/\/evil\.example\.$/,
  );
  expect(keys.list('id of search')).toEqual([
    { ref, origins: [OPENAI] },
    { ref: 'env:KEY_OF_A_GATEWAY', origins: null },
  ]);
  expect(keys.list('id of ads')).toEqual([]);
  const refused = [`file:${folder}/x/../openai`, `file:${folder}/./openai`, 'env:PATH', 'env:TOOLMARK_SEALING_KEY'];
  const others = [[ref, by('ads')] as const, ...refused.map((other) => [other, by('search')] as const)];
  for (const [other, use] of others)
    expect(keyOf(keys, other, use)).toBe(
      `"${other}" is not among the keys that your team may use by reference. Choose one of those, or ask the ` +
        'operator to list it for your team.',
    );
  delete process.env.KEY_OF_A_GATEWAY;
});

it('a list with faults names each of them, and no process starts with it', async () => {
  write(
    'list.yaml',
    `
keys:
  - {ref: file:/keys/../etc/shadow, teams: [search]}
  - {ref: file:relative, teams: [search]}
  - {ref: file:/proc/self/environ, teams: [search]}
  - {ref: 'env:TOOLMARK_SEALING_KEYS', teams: [search]}
  - {ref: 'env:https_proxy', teams: [search]}
  - {ref: 'env:A-B', teams: [search]}
  - {ref: file:/keys/openai, teams: []}
  - {ref: file:/keys/openai, teams: ['*'], origins: ['https://api.openai.com/v1', 'https://u:p@x.example', 'file://']}
  - {ref: file:/keys/other}
`,
  );
  const file = path('list.yaml');
  const origin = 'must be an origin such as https://api.openai.com, without a path';
  const error = await OperatorKeys.read({ file, logger }).catch((fault: Error) => fault);
  expect((error as Error).message.split('\n')).toEqual([
    `The keys by reference in ${file} cannot be used:`,
    '  keys/0/ref must be the path of a file without ".", ".." and empty parts',
    '  keys/1/ref must be file:/path or env:NAME',
    '  keys/2/ref is a file of the system, not a key',
    '  keys/3/ref names TOOLMARK_SEALING_KEYS, a setting of Toolmark or of its platform, not a key',
    '  keys/4/ref names https_proxy, a setting of Toolmark or of its platform, not a key',
    '  keys/5/ref must be env:NAME, with the name of an environment variable',
    '  keys/6/teams must not be empty',
    '  keys/7/teams/0 must be the name of a team: no entry is for all teams',
    ...[0, 1, 2].map((index) => `  keys/7/origins/${index} ${origin}`),
    '  keys/8/teams is missing',
  ]);
  expect(readListedKeys('keys: [{ref: "env:A", teams: [a]}, {ref: "env:A", teams: [b]}]')).toEqual({
    errors: [{ path: '/keys/1/ref', message: 'is taken by another entry' }],
  });
  await expect(OperatorKeys.read({ file: path('none.yaml'), logger })).rejects.toThrow('It does not exist');
});

it('what is not one line of text in a small file is not a key, and holds up nobody', async () => {
  write('empty', ' \n');
  write('lines', 'sk-one\nsk-two\n');
  write('words', 'two words');
  write('utf-16', 'ÿþs\0k\0');
  write('huge', '');
  truncateSync(path('huge'), 2 ** 30);
  mkdirSync(path('folder'));
  execFileSync('mkfifo', [path('pipe')]);
  symlinkSync('/dev/zero', path('device'));
  writeFileSync(join(secrets, 'sealing-key'), '00112233');
  symlinkSync(join(secrets, 'sealing-key'), path('link'));
  symlinkSync('circle', path('circle'));
  const ALL = ['empty', 'lines', 'words', 'utf-16', 'huge', 'folder', 'pipe', 'device', 'link', 'circle', 'none'];
  listed(
    Object.fromEntries([...ALL.map((name) => `file:${path(name)}`), 'env:NO_SUCH'].map((ref) => [ref, FOR_SEARCH])),
  );
  const keys = await open();
  const why = (ref: string): string => /^The key .* cannot be read: it (.*)\. The operator/.exec(keyOf(keys, ref))![1]!;
  expect(ALL.map((name) => [name, why(`file:${path(name)}`)])).toEqual([
    ['empty', 'is empty'],
    ['lines', 'has several lines; a key is one'],
    ['words', 'is not 1 to 2000 visible ASCII characters'],
    ['utf-16', 'is not 1 to 2000 visible ASCII characters'],
    ['huge', 'has more than 8192 bytes'],
    ['folder', 'is not a file'],
    ['pipe', 'is not a file'],
    ['device', 'is not a file'],
    ['link', 'is a link out of its folder: list the path that it leads to instead'],
    ['circle', 'is a circle of links'],
    ['none', 'does not exist'],
  ]);
  expect(why('env:NO_SUCH')).toBe('is not set in the environment of this process');
});

it('a Secret that Kubernetes replaces is followed, and a text counts once two looks have seen it', async () => {
  const version = (name: string, key: string): void => {
    mkdirSync(path(name));
    write(`${name}/openai`, key);
    symlinkSync(name, path('..data_tmp'));
    renameSync(path('..data_tmp'), path('..data'));
  };
  version('..1', 'sk-old\n');
  symlinkSync('..data/openai', path('openai'));
  const ref = `file:${path('openai')}`;
  listed({ [ref]: FOR_SEARCH });
  const keys = await open();
  expect(keyOf(keys, ref)).toBe('sk-old');
  version('..2', 'sk-new\n');
  await keys.refresh();
  expect(keyOf(keys, ref)).toBe('sk-old');
  write('..2/openai', 'sk-new-and-whole\n');
  await keys.refresh();
  expect(keyOf(keys, ref)).toBe('sk-old');
  await keys.refresh();
  expect(keyOf(keys, ref)).toBe('sk-new-and-whole');
});

it('a key outlives its file for a while, a removed entry ends at once, and a wrong list changes nothing', async () => {
  write('a', 'sk-a');
  write('b', 'sk-b');
  const [a, b] = [`file:${path('a')}`, `file:${path('b')}`];
  listed({ [a]: FOR_SEARCH, [b]: FOR_SEARCH });
  const keys = await open(TEAMS, { keepMs: 200 });
  rmSync(path('a'));
  await keys.refresh();
  expect(keyOf(keys, a)).toBe('sk-a');
  write('list.yaml', 'keys: [{ref: ');
  await keys.refresh();
  await keys.refresh();
  expect(keyOf(keys, b)).toBe('sk-b');
  listed({ [a]: FOR_SEARCH });
  await keys.refresh();
  await keys.refresh();
  expect(keyOf(keys, b)).toMatch(/is not among the keys/);
  const left = performance.now() + 250;
  while (performance.now() < left) await keys.refresh();
  expect(keyOf(keys, a)).toMatch(/it does not exist\./);
  write('a', 'sk-again');
  await keys.refresh();
  expect(keyOf(keys, a)).toBe('sk-again');
});

it('files that hang, at the start or later, hold up neither another key nor the list, and are asked once', async () => {
  const names = ['hangs', 'hangs-later', 'other'];
  for (const name of names) write(name, `sk-${name}`);
  const [hangs, later, other] = names.map((name) => `file:${path(name)}`) as [string, string, string];
  listed({ [hangs]: FOR_SEARCH, [later]: FOR_SEARCH, [other]: FOR_SEARCH });
  const hanging = [path('hangs')];
  const asked: string[] = [];
  const readFile: typeof readSmallFile = (file, most) => {
    if (!hanging.includes(file)) return readSmallFile(file, most);
    asked.push(file);
    return new Promise(() => {});
  };
  const keys = await open(TEAMS, { readFile, answerMs: 1000, keepMs: 200 });
  expect(keyOf(keys, hangs)).toMatch(/it does not answer\./);
  expect(keyOf(keys, later)).toBe('sk-hangs-later');
  hanging.push(path('hangs-later'));
  write('other', 'sk-changed');
  await keys.refresh();
  await keys.refresh();
  expect(keyOf(keys, other)).toBe('sk-changed');
  await until(async () => {
    await keys.refresh();
    return keyOf(keys, later).includes('it does not answer.');
  });
  expect(asked).toEqual(hanging);
  // A third one leaves no thread for keys, but one for the list.
  hanging.push(path('third'));
  listed({ [`file:${path('third')}`]: FOR_SEARCH, [hangs]: FOR_SEARCH, [later]: FOR_SEARCH });
  await until(async () => {
    await keys.refresh();
    return asked.length === 3;
  });
  expect(keyOf(keys, other)).toMatch(/is not among the keys/);
  listed({ [hangs]: FOR_SEARCH });
  await until(async () => {
    await keys.refresh();
    return keyOf(keys, later).includes('is not among the keys');
  });
});

it('an entry for a team that does not exist yet is for it once it does, and a team is known by its name', async () => {
  write('key', 'sk-key');
  const ref = `file:${path('key')}`;
  listed({ [ref]: { teams: ['later', 'search'] } });
  const teams = new Map(TEAMS);
  const keys = await open(teams);
  expect(keyOf(keys, ref, by('later'))).toMatch(/is not among the keys/);
  teams.set('later', 'id of later');
  await keys.refresh();
  expect(keyOf(keys, ref, by('later'))).toBe('sk-key');
  teams.delete('search');
  teams.set('found', 'id of search');
  await keys.refresh();
  expect(keyOf(keys, ref, by('search'))).toMatch(/is not among the keys/);
});

it('without a list there are no references', async () => {
  const keys = await OperatorKeys.read({ file: undefined, logger });
  await keys.watch(() => Promise.reject(new Error('nobody is to be asked')));
  expect(keyOf(keys, 'env:PATH')).toMatch(/is not among the keys/);
  expect(keys.list('id of search')).toEqual([]);
});
