import type { Command } from 'commander';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import { ApiClient, ApiError } from '#lib/client/api-client';
import type { Me as MeSchema } from '#lib/contracts/team';
import { logInByBrowser } from '../browser-login.js';
import { examples, localAction, subcommand, type GlobalOptions } from '../command.js';
import { checkedUrl, connection, serverToLogIn, TOKEN_VARIABLES } from '../connection.js';
import { NegativeAnswer } from '../exit-codes.js';
import { table } from '../output/table.js';
import { print, printJson, printWarning } from '../output/terminal.js';
import { readLogin, removeLogin, saveLogin, type SavedLogin } from '../saved-login.js';

interface LoginOptions extends GlobalOptions {
  withToken?: boolean;
}

export function addLogin(program: Command): void {
  subcommand(program, 'login', 'log in to a server with a browser or a token, and save it for later commands')
    .option('--with-token', 'read a token from standard input, without a browser')
    .action(localAction<LoginOptions>(login))
    .addHelpText(
      ...examples(
        'toolmark login --server "$TOOLMARK_SERVER"',
        'toolmark login --server "$TOOLMARK_SERVER" --with-token < token.txt',
        'toolmark login --server "$TOOLMARK_SERVER" --token "$TOOLMARK_TOKEN"',
      ),
    );
  subcommand(program, 'logout', 'end the saved login; a token that a browser approved is deleted on the server')
    .action(localAction<GlobalOptions>(logout))
    .addHelpText(...examples('toolmark logout'));
  subcommand(program, 'whoami', 'show the server, the team, the person, the role and the limits of later commands')
    .action(localAction<GlobalOptions>(whoAmI))
    .addHelpText(...examples('toolmark whoami', 'toolmark whoami --json'));
}

type FullMe = z.infer<typeof MeSchema>;
/** Servers of earlier releases know no persons. */
type Me = Omit<FullMe, 'person' | 'token' | 'session'> & Partial<Pick<FullMe, 'person' | 'token'>>;
const readMe = ({ server, token }: SavedLogin): Promise<Me> => new ApiClient(server, token).call('GET', '/api/me');

async function login({ server: given, token, withToken, json }: LoginOptions): Promise<void> {
  const server = serverToLogIn(given);
  if (!server) throw new Error('Which server? toolmark login --server URL');
  checkedUrl(server);
  if (token === '') throw new Error('--token is empty. Give a token, or leave --token out to log in with a browser.');
  const secret = withToken ? await tokenFromInput() : (token ?? process.env.TOOLMARK_TOKEN);
  const before = readLogin()?.login;
  const { saved, me } = secret ? await withGivenToken(server, secret) : await withBrowser(server);
  const file = await save(saved);
  if (before?.token_id !== undefined && before.token !== saved.token) await endOnServer(before).catch(() => {});
  if (json) return printJson(me);
  print(`Logged in to ${server} as ${me.user.name} of team ${me.team.name} (${me.role}).`, `Saved in ${file}.`);
  if (!secret) warnOfVariables();
}

const MAX_INPUT = 1000;

async function tokenFromInput(): Promise<string> {
  const how = '--with-token reads a token from standard input: toolmark login --with-token < FILE';
  if (process.stdin.isTTY) throw new Error(how);
  const token = (await text(process.stdin)).trim();
  if (token === '' || token.length > MAX_INPUT || /\s/.test(token)) throw new Error(how);
  return token;
}

interface Login {
  saved: SavedLogin;
  me: Me;
}

async function withGivenToken(server: string, token: string): Promise<Login> {
  const saved = { server, token };
  return { saved, me: await readMe(saved) };
}

async function withBrowser(server: string): Promise<Login> {
  const { token } = await logInByBrowser(server);
  const me = await readMe({ server, token });
  return { saved: { server, token, token_id: me.token?.id }, me };
}

/** A token that cannot be saved is of no use to anybody. */
async function save(login: SavedLogin): Promise<string> {
  try {
    return saveLogin(login);
  } catch (error) {
    if (login.token_id !== undefined) await endOnServer(login).catch(() => {});
    throw new Error('The login cannot be saved.', { cause: error });
  }
}

/** Deletes the token of a login that a browser approved. One that the server does not know has ended already. */
async function endOnServer({ server, token, token_id: id }: SavedLogin): Promise<void> {
  try {
    await new ApiClient(server, token).call('DELETE', `/api/me/tokens/${id}`);
  } catch (error) {
    if (!(error instanceof ApiError && [401, 404].includes(error.problem.status))) throw error;
  }
}

async function logout({ json }: GlobalOptions): Promise<void> {
  const { file, login: saved } = readLogin() ?? {};
  if (!saved || !file) throw new NegativeAnswer('No login is saved here.');
  const { server, token_id: id } = saved;
  const isOurs = id !== undefined;
  const failure = isOurs
    ? await endOnServer(saved).then(
        () => undefined,
        (error: Error) => error,
      )
    : undefined;
  removeLogin();
  if (failure)
    printWarning(
      `${server} could not be asked to delete the token (${reasonOf(failure)}), so it stays valid until it expires. ` +
        'Delete it on the page, among your tokens.',
    );
  else if (!isOurs) printWarning('The token itself stays valid: it was given to the login, and others may use it.');
  if (json) printJson({ server, file, token_deleted: isOurs && !failure });
  else print(`Logged out of ${server}. ${file} is deleted.`);
  warnOfVariables();
}

const reasonOf = ({ message, cause }: Error): string => (cause instanceof Error && cause.message) || message;

/** A token of the environment goes before a saved login. */
function warnOfVariables(): void {
  const variable = TOKEN_VARIABLES.find((name) => process.env[name]);
  if (variable) printWarning(`${variable} is set: commands use that token, whatever login is saved.`);
}

async function whoAmI(options: GlobalOptions): Promise<void> {
  const found = connection(options);
  const me = await readMe(found);
  if (options.json) printJson({ server: found.server, from: found.from, ...me });
  else
    print(
      ...table([
        ['server', found.server],
        ['team', me.team.name],
        [
          'person',
          [me.user.name, me.person?.kind === 'service' && 'a service account', me.person?.email]
            .filter(Boolean)
            .join(', '),
        ],
        ['role', me.role],
        ...(me.token ? tokenLines(me.token) : []),
        ['found in', found.from],
      ]),
    );
}

const tokenLines = (token: NonNullable<Me['token']>): string[][] => [
  ['token', token.name],
  ['expires', token.expires_at ?? 'never'],
  ['limits', limitsOf(token).join(', ') || 'none'],
];

const limitsOf = ({ reads_only, suite_ids, monthly_cap_usd }: NonNullable<Me['token']>): string[] => [
  ...(reads_only ? ['reads only'] : []),
  ...(suite_ids ? [`${suite_ids.length} ${suite_ids.length === 1 ? 'suite' : 'suites'}`] : []),
  ...(monthly_cap_usd === null ? [] : [`$${monthly_cap_usd} a month`]),
];
