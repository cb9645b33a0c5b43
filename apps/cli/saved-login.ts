import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** What `toolmark login` saves for later commands. */
export interface SavedLogin {
  server: string;
  token: string;
  /** The id of a token that a login in the browser made, which a logout deletes on the server, too. */
  token_id?: string;
}

type Variables = Record<string, string | undefined>;
const FILE = join('toolmark', 'login.json');

/** The files of a login: the one of this system, then the one in which earlier releases saved it. */
export function loginFiles(
  platform: NodeJS.Platform = process.platform,
  env: Variables = process.env,
  home = homedir(),
): string[] {
  // The specification of XDG has a relative path ignored.
  const given = env.XDG_CONFIG_HOME && isAbsolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : undefined;
  const xdg = join(given ?? join(home, '.config'), FILE);
  if (platform === 'win32') return [join(env.APPDATA || join(home, 'AppData', 'Roaming'), FILE), xdg];
  if (platform === 'darwin' && !given) return [join(home, 'Library', 'Application Support', FILE), xdg];
  return [xdg];
}

/** The saved login and its file. @throws Error when the file cannot be read */
export function readLogin(files = loginFiles()): { file: string; login: SavedLogin } | undefined {
  const file = files.find((each) => existsSync(each));
  if (file === undefined) return undefined;
  try {
    const login = JSON.parse(readFileSync(file, 'utf8')) as SavedLogin | null;
    if (typeof login?.server === 'string' && typeof login.token === 'string') return { file, login };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${file} does not hold a login. Delete it, then run toolmark login again.`);
}

/**
 * Saves a login where only this user can read it, whatever mode an earlier file has. The file gets its name once it is
 * complete, and the one of an earlier release goes.
 * @returns the file
 */
export function saveLogin(login: SavedLogin, files = loginFiles()): string {
  const [file, ...earlier] = files as [string, ...string[]];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const name = existsSync(file) ? realpathSync(file) : file;
  const partialFile = `${name}.${randomUUID()}.part`;
  try {
    const descriptor = openSync(partialFile, 'wx', 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify(login)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partialFile, name);
  } catch (error) {
    rmSync(partialFile, { force: true });
    throw error;
  }
  for (const each of earlier) rmSync(each, { force: true });
  return file;
}

export function removeLogin(files = loginFiles()): void {
  for (const file of files) rmSync(file, { force: true });
}
