import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loginFiles, readLogin, removeLogin, saveLogin } from './saved-login.js';

const folder = mkdtempSync(join(tmpdir(), 'toolmark-login-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const login = { server: 'http://127.0.0.1:8501', token: 'tm_secret', token_id: 'id' };

it.each<[NodeJS.Platform, Record<string, string>, string[]]>([
  ['linux', {}, ['/home/ada/.config']],
  ['linux', { XDG_CONFIG_HOME: '/elsewhere' }, ['/elsewhere']],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, ['/home/ada/.config']],
  ['darwin', {}, ['/home/ada/Library/Application Support', '/home/ada/.config']],
  ['darwin', { XDG_CONFIG_HOME: '/elsewhere' }, ['/elsewhere']],
  ['win32', { APPDATA: '/roaming' }, ['/roaming', '/home/ada/.config']],
])('on %s with %j a login lies in %j', (platform, env, folders) =>
  expect(loginFiles(platform, env, '/home/ada')).toEqual(folders.map((each) => join(each, 'toolmark', 'login.json'))),
);

it('a login is readable by its user alone, whatever was there before, and nothing else stays', () => {
  const files = [join(folder, 'new', 'login.json'), join(folder, 'old', 'login.json')];
  for (const file of files) {
    mkdirSync(dirname(file));
    writeFileSync(file, '{"server": "http://127.0.0.1:1", "token": "earlier"}');
    chmodSync(file, 0o644);
  }
  expect(readLogin(files.slice(1))?.login.token).toBe('earlier');
  expect(saveLogin(login, files)).toBe(files[0]);
  expect(statSync(files[0]!).mode & 0o777).toBe(0o600);
  expect(readLogin(files)).toEqual({ file: files[0], login });
  expect(files.flatMap((file) => readdirSync(dirname(file)))).toEqual(['login.json']);
  expect(readFileSync(files[0]!, 'utf8')).not.toContain('earlier');
  removeLogin(files);
  expect(readLogin(files)).toBeUndefined();
});

it('a file that holds no login says so', () => {
  const file = join(folder, 'login.json');
  for (const text of ['{', '[]', '{"server": 1}', 'null']) {
    writeFileSync(file, text);
    expect(() => readLogin([file])).toThrow(/login\.json does not hold a login\. Delete it/);
  }
});
