// The step of action.yml: runs a gate, and reports its decision to GitHub: in the job summary, in one comment of the
// pull request, and in outputs. It exits as `toolmark gate` does. Plain Node, because it runs without an install.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NOT_MEASURED = 4;
const USAGE = 2;
/** A pull request with more comments than 100 times this gets another comment. */
const MAX_PAGES = 30;
const MAX_WAIT_MS = 30_000;

const { TOOLMARK_GITHUB_TOKEN: githubToken, ...env } = process.env; // The command line must not get the GitHub token.
const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')) : {};
const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), 'toolmark-'));
const [markdown, json, junit] = ['gate.md', 'gate.json', 'gate.xml'].map((name) => join(folder, name));

async function main() {
  if (!env.TOOLMARK_TOKEN) return withoutToken();
  command('add-mask', env.TOOLMARK_TOKEN);
  const { code, errors } = await askGate();
  const answer = existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : undefined;
  const report = existsSync(markdown) ? readFileSync(markdown, 'utf8') : undefined;
  summarise(report ?? `**Toolmark: no answer.**\n\n${fenced(errors)}\n`);
  const differences = (answer?.targets ?? []).map(({ difference }) => difference).filter((one) => one !== null);
  output('result', answer?.result ?? '');
  output('difference', differences.length > 0 ? String(Math.min(...differences)) : '');
  output('report', folder);
  if (report !== undefined && env.TOOLMARK_COMMENT !== 'false') await comment(report);
  return code;
}

/** Workflows of forks get no secrets, and a gate that measured nothing has not passed. */
function withoutToken() {
  const { head, base } = event.pull_request ?? {};
  const isFork = head !== undefined && head.repo?.full_name !== base?.repo?.full_name;
  const reason = isFork
    ? 'The pull request comes from a fork, whose workflows get no secrets, so there is no Toolmark token.'
    : 'There is no Toolmark token: set the input `token` from a secret.';
  summarise(`**Toolmark: not measured.** ${reason}\n`);
  output('result', 'not_measured');
  output('difference', '');
  output('report', folder);
  command('error', `Not measured. ${reason}`);
  return NOT_MEASURED;
}

/** Runs `toolmark gate`, with its output in the log. */
async function askGate() {
  const models = (env.TOOLMARK_MODELS ?? '').split(/[\s,]+/).filter(Boolean);
  const args = [
    'gate',
    ...(models.length > 0 ? ['--models', models.join(',')] : []),
    ...words(env.TOOLMARK_ARGUMENTS ?? ''),
    ...['--markdown', markdown, '--json-file', json, '--junit', junit, '--', env.TOOLMARK_GATE ?? ''],
  ];
  // The log contains text by models, and GitHub executes workflow commands in it.
  const nonce = randomUUID();
  command('stop-commands', nonce);
  try {
    return await run(process.execPath, [commandLine(), ...args]);
  } finally {
    console.log(`::${nonce}::`);
  }
}

/** The bundled command line. */
function commandLine() {
  if (env.TOOLMARK_COMMAND) return env.TOOLMARK_COMMAND;
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const file = join(root, 'dist/toolmark.mjs');
  for (const args of existsSync(file) ? [] : [['ci'], ['run', 'cli:bundle']]) {
    const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', env: withoutSecrets() });
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${root}.`);
  }
  return file;
}

function withoutSecrets() {
  const { TOOLMARK_TOKEN: _, ...others } = env;
  return others;
}

const run = (file, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'pipe'] });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      process.stderr.write(text);
      errors = (errors + text).slice(-5000);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? USAGE, errors }));
  });

/** Splits a line into words as a shell does, without any other shell feature. */
function words(line) {
  const found = line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]))|(\s+)/gs);
  const read = [];
  let isOpen = false;
  for (const [, double, single, escaped, plain, space] of found) {
    if (space !== undefined) isOpen = false;
    else {
      const text = double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? escaped ?? plain;
      if (isOpen) read[read.length - 1] += text;
      else read.push(text);
      isOpen = true;
    }
  }
  return read;
}

/* Input for GitHub. */

/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function command(name, text) {
  console.log(`::${name}::${text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`);
}

function summarise(text) {
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
}

/** A value may contain any text, so the delimiter must not be one of its lines. */
function output(name, value) {
  const delimiter = `end-${randomUUID()}`;
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
}

/** A fenced code block that ends where it should, whatever the text contains. */
function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.trim()}\n${fence}`;
}

/** Creates or replaces the comment of this gate. A failed comment does not affect the gate. */
async function comment(body) {
  const number = event.pull_request?.number;
  if (number === undefined || !githubToken) return;
  try {
    const [marker] = body.split('\n', 1);
    const comments = `/repos/${env.GITHUB_REPOSITORY}/issues/${number}/comments`;
    const earlier = await findComment(comments, marker);
    if (earlier === undefined) await github('POST', comments, { body });
    else await github('PATCH', `/repos/${env.GITHUB_REPOSITORY}/issues/comments/${earlier}`, { body });
  } catch (error) {
    command(
      'warning',
      `The gate's answer is valid, but could not be added to the pull request as a comment: ${error.message}`,
    );
  }
}

/** The id of the comment that begins with the marker. A person's comment is not ours, whatever it begins with. */
async function findComment(comments, marker) {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await github('GET', `${comments}?per_page=100&page=${page}`);
    for (const { id, body, user } of found)
      if (body?.split(/\r?\n/, 1)[0] === marker && (user?.type !== 'User' || user.login === (await ownName())))
        return id;
    if (found.length < 100) return undefined;
  }
  return undefined;
}

/** The user of the token; a workflow's token belongs to none. */
const ownName = () =>
  github('GET', '/user').then(
    ({ login }) => login,
    () => undefined,
  );

async function github(method, path, body) {
  const response = await fetch(`${env.GITHUB_API_URL || 'https://api.github.com'}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${githubToken}`,
      'user-agent': 'toolmark',
      'x-github-api-version': '2022-11-28',
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  if (response.ok) return response.json();
  const hint = response.status === 403 ? ' (this needs the permission pull-requests: write)' : '';
  throw new Error(`GitHub answered ${response.status} to ${method} ${path.split('?')[0]}${hint}.`);
}

try {
  process.exitCode = await main();
} catch (error) {
  command('error', error.message);
  process.exitCode = USAGE;
}
