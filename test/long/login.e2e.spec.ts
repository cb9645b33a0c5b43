import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinIdleApi, type SharedApi } from '../api.js';
import { clientOf } from '../client.js';
import { openCommandLine, type CommandResult } from '../command-line.js';
import { until } from '../until.js';

let api: SharedApi;
const cli = openCommandLine(() => api.client);
beforeAll(async () => {
  api = await joinIdleApi();
}, 60_000);

/** A folder of a user who has no token yet. */
function newUser(name: string) {
  const config = join(cli.folder, name);
  const file = join(config, 'toolmark', 'login.json');
  const variables = { XDG_CONFIG_HOME: config, DISPLAY: ':0' };
  return {
    file,
    variables,
    toolmark: (...args: string[]): Promise<CommandResult> => cli.toolmarkWith(variables, ...args),
    saved: (): { server: string; token: string } => JSON.parse(readFileSync(file, 'utf8')),
  };
}
type User = ReturnType<typeof newUser>;
const login = ({ variables }: User, more: Record<string, string> = {}) =>
  cli.start('toolmark', ['login', '--server', api.url], undefined, { ...variables, ...more });

/** Decides about the login whose code a command shows. */
async function decide(shown: () => string, approve: boolean): Promise<void> {
  const code = () => /\/device\?code=([B-Z]{4}-[B-Z]{4})/.exec(shown())?.[1];
  await until(() => code() !== undefined, { what: 'the code' });
  const { status } = await api.client.post(`/api/me/device-logins/${code()}`, { approve, role: 'editor' });
  expect(status).toBe(204);
}

/** A command whose standard error can be read while it runs. */
function read({ child, ended }: ReturnType<typeof login>) {
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: string) => (shown += text));
  return { child, ended, shown: () => shown };
}

it('a person approves a command line in a browser, and it keeps a token of theirs for this user alone', async () => {
  const [ada, bob] = [newUser('ada'), newUser('bob')];
  mkdirSync(join(ada.file, '..'), { recursive: true });
  writeFileSync(ada.file, '{"server": "http://127.0.0.1:9", "token": "tm_earlier"}');
  chmodSync(ada.file, 0o644);
  // On a terminal the browser is opened, by a program that gets the address unchanged.
  const opened = join(cli.folder, 'opened');
  writeFileSync(join(cli.folder, 'bin', 'xdg-open'), `#!/bin/sh\nprintf '%s|' "$@" > ${opened}\n`, { mode: 0o755 });
  const terminal = (user: User, more: object) =>
    read(
      cli.start('script', ['-qec', `toolmark login --server ${api.url}`, '/dev/null'], undefined, {
        ...user.variables,
        ...more,
      }),
    );
  const [approved, refused, onTerminal, overSsh, stopped] = [
    read(login(ada)),
    read(login(bob)),
    terminal(newUser('eve'), {}),
    terminal(newUser('kim'), { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }),
    read(login(newUser('joe'))),
  ];
  await Promise.all([
    decide(approved.shown, true),
    decide(refused.shown, false),
    decide(onTerminal.shown, true),
    decide(overSsh.shown, true),
  ]);
  await until(() => stopped.shown().includes('Waiting for'));
  stopped.child.kill('SIGINT');
  expect(await stopped.ended).toMatchObject({ code: null, out: '' });

  const { code, out, err } = await approved.ended;
  expect({ code, out }).toEqual({
    code: 0,
    out: `Logged in to ${api.url} as owner of team ${await teamName()} (editor).\nSaved in ${ada.file}.\n`,
  });
  expect(err).toMatch(/^Open this address in a browser, on any machine:\n\n {2}http\S+\n\nApprove .*the code \S+\.\nW/);
  expect(statSync(ada.file).mode & 0o777).toBe(0o600);
  expect(out + err).not.toContain(ada.saved().token);
  expect(await refused.ended).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/The login was refused in the browser\.\n/),
  });
  expect((await onTerminal.ended).out).toMatch(
    /Your browser opens this address:[^]*Waiting: 9:5\d left\. Ctrl\+C[^]*Logged in/,
  );
  expect((await overSsh.ended).out).toMatch(/Open this address in a browser, on any machine:[^]*Logged in/);
  expect(readFileSync(opened, 'utf8')).toMatch(new RegExp(`^${api.url}/device\\?code=[B-Z]{4}-[B-Z]{4}\\|$`));
  expect(readFileSync(opened, 'utf8')).toContain(/code=(\S+)/.exec(onTerminal.shown())![1]);

  const { out: me } = await ada.toolmark('whoami');
  expect(me).toMatch(/^server {4}http\S+\nteam .*\nperson {4}owner\nrole {6}editor\ntoken {5}toolmark login on /);
  expect(me).toMatch(/^expires {3}20.*\nlimits {4}none\nfound in {2}\S+login\.json$/m);
  expect(await ada.toolmark('jobs')).toMatchObject({ code: 0 });
  expect(await ada.toolmark('jobs', '--server', `${api.url}/`)).toMatchObject({ code: 0 });

  const { token } = ada.saved();
  expect(await ada.toolmark('logout')).toEqual({
    code: 0,
    out: `Logged out of ${api.url}. ${ada.file} is deleted.\n`,
    err: '',
  });
  expect(existsSync(ada.file)).toBe(false);
  expect((await clientOf(api.url, token).post('/api/tool-suites', {})).status).toBe(401);
  expect(await ada.toolmark('logout')).toMatchObject({ code: 1, err: 'No login is saved here.\n' });
  expect(await ada.toolmark('jobs', '--server', api.url)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/log in with toolmark login\.\n$/),
  });
}, 60_000);

const teamName = async (): Promise<string> => (await api.client.get('/api/me')).body.team.name;

it('a token from standard input is saved, and stays when its login ends; an expired one leads to a login', async () => {
  const ada = newUser('script');
  const pipe = (text: string) => {
    const { child, ended } = cli.start('toolmark', ['login', '--with-token'], undefined, {
      ...ada.variables,
      TOOLMARK_SERVER: api.url,
    });
    child.stdin.end(text);
    return ended;
  };
  expect(await pipe('')).toMatchObject({ code: 2, err: expect.stringMatching(/--with-token < FILE\n$/) });
  expect(await pipe('tm_wrong\n')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/unknown, revoked or expired/),
  });
  expect(existsSync(ada.file)).toBe(false);
  const given = (await api.client.post('/api/tokens', { name: 'given', role: 'viewer' })).body;
  expect(await pipe(`${given.token}\n`)).toMatchObject({ code: 0 });
  const other = { TOOLMARK_SERVER: api.url, TOOLMARK_TOKEN: api.client.token };
  expect((await cli.toolmarkWith({ ...ada.variables, ...other }, 'whoami')).out).toMatch(
    /found in {2}TOOLMARK_TOKEN\n/,
  );
  expect(await ada.toolmark('logout')).toMatchObject({ code: 0, err: expect.stringMatching(/token itself stays/) });
  expect((await clientOf(api.url, given.token).get('/api/me')).status).toBe(200);

  const old = (await api.client.post('/api/tokens', { name: 'old', role: 'viewer' })).body;
  await api.pool.query(`UPDATE token SET expires_at = now() - interval '1 s' WHERE id = $1`, [old.id]);
  writeFileSync(ada.file, JSON.stringify({ server: api.url, token: old.token }));
  expect(await ada.toolmark('jobs')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^The token "old" expired on 20[^]*\nTry: toolmark login\n$/),
  });
});

it('a logout without the server deletes the file, and says that the token stays', async () => {
  const ada = newUser('away');
  mkdirSync(join(ada.file, '..'), { recursive: true });
  writeFileSync(ada.file, JSON.stringify({ server: 'http://127.0.0.1:9', token: 'tm_x', token_id: 'x' }));
  expect(await ada.toolmark('logout')).toMatchObject({
    code: 0,
    err: expect.stringMatching(/could not be asked to delete the token \(.+\), so it stays valid until it expires/),
  });
  expect(existsSync(ada.file)).toBe(false);
});
