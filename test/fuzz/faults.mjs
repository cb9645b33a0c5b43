// What must be true of every answer, whoever asks for whatever.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isBeyond } from './requests.mjs';
import { HIDDEN_MARK, MARK } from './stock.mjs';

export const LONGEST_MS = 5000;
/** These wait for models and servers as long as the request says. */
const WAITING = new Set(['POST /api/tool-eval/try']);
/** These answer a page that says what is wrong. */
const PAGES = new Set(['GET /api/sign-in/{provider}/callback']);
/** What is refused before a route is known, or a body where none is expected. */
const OF_ANY_ROUTE = new Set([400, 408, 413, 414, 415, 431]);
/** These answer a new token, which is shown once. */
const ISSUING = new Set([
  ...['POST /api/tokens', 'POST /api/me/tokens', 'POST /api/teams'],
  ...['POST /api/device-logins/token', 'POST /api/invitations/accept'],
]);
export const ANY_TOKEN = /\btm_[\w-]{20,}/;
/** Words of stacks, statements and folders of the server. */
const INSIDES = /node_modules|\.js:\d+|syntax error at or near|relation "|violates \w+.* constraint|SELECT .* FROM/;

/**
 * `readsBodies`: whether answers are compared with their schemas, too, which take seconds to compile.
 * @returns `faultsOf({operation, asked, answer, teams})`, which lists what is wrong with an answer
 */
export function judgeOf(document, { readsBodies }) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...document, $id: 'api' });
  const isProblem = ajv.getSchema('api#/components/schemas/Problem');
  const checks = [isAnswered, hasHeaders, isProblemDocument, isDocumented, keepsRoles, keepsTeams, keepsSecrets];
  return (seen) => checks.flatMap((check) => check(seen) ?? []);

  function isAnswered({ operation, answer: { status, error, cut, tookMs } }) {
    if (status === 0) return cut || WAITING.has(operation.name) ? undefined : [`no answer: ${error}`];
    if (status >= 500) return [`it answered ${status}`];
    if (tookMs > LONGEST_MS && !WAITING.has(operation.name)) return [`it took ${(tookMs / 1000).toFixed(1)} s`];
    return undefined;
  }

  function isProblemDocument({ operation, asked, answer: { status, headers, text } }) {
    if (status < 400 || asked.method === 'HEAD' || PAGES.has(operation.name)) return undefined;
    if (!/^application\/problem\+json/.test(headers['content-type'] ?? ''))
      return [`${status} came as ${headers['content-type']}: ${text.slice(0, 200)}`];
    const problem = parsed(text);
    if (!isProblem(problem)) return [`${status} is not a problem document: ${ajv.errorsText(isProblem.errors)}`];
    return [
      ...(problem.status === status ? [] : [`${status} says that it is ${problem.status}`]),
      ...(problem.detail ? [] : [`${status} has no detail`]),
      ...(INSIDES.test(problem.detail) ? [`it shows the server's insides: ${problem.detail.slice(0, 300)}`] : []),
      ...(status === 429 && !headers['retry-after'] ? ['429 has no Retry-After'] : []),
    ];
  }

  function isDocumented({ operation, asked, answer: { status, headers, text } }) {
    if (asked.method !== operation.method || status === 0 || status >= 500) return undefined;
    if (!operation.statuses.has(String(status)) && !OF_ANY_ROUTE.has(status))
      return [`${status} is not documented: ${text.slice(0, 200)}`];
    if (!readsBodies || status >= 300 || !/^application\/json/.test(headers['content-type'] ?? '')) return undefined;
    const place = operation.path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
    const responses = `#/paths/${place}/${operation.method.toLowerCase()}/responses/${status}`;
    const schema = document.paths[operation.path][operation.method.toLowerCase()].responses[status]?.content;
    if (!schema?.['application/json']?.schema) return undefined;
    const body = parsed(text);
    if (body === undefined) return [`${status} is not JSON: ${text.slice(0, 200)}`];
    return ajv.validate({ $ref: `api${responses}/content/application~1json/schema` }, body)
      ? undefined
      : [`${status} is not as documented: ${ajv.errorsText()}`];
  }
}

/** What keeps a browser from doing more with an answer than showing it. */
function hasHeaders({ asked, answer: { status, headers } }) {
  if (status === 0 || !asked.path.startsWith('/api/')) return undefined;
  return [
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : [`${status} lacks nosniff`]),
    ...(headers['content-security-policy'] ? [] : [`${status} lacks a Content-Security-Policy`]),
    ...(/no-store/.test(headers['cache-control'] ?? '') ? [] : [`${status} may be stored on the way`]),
  ];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isDone = ({ status }) => status >= 200 && status < 300;

function keepsRoles({ operation, asked, answer }) {
  const isOf = asked.method === operation.method || (asked.method === 'HEAD' && operation.method === 'GET');
  return isOf && isDone(answer) && isBeyond(asked.caller, operation)
    ? [`it answered ${answer.status} to "${asked.caller}", who may not ask for it`]
    : undefined;
}

/** An id that the caller sent, or has stored, may come back; an operator sees all teams. */
function keepsTeams({ asked, answer: { text, headers }, teams: { own, other } }) {
  if (asked.caller === 'operator') return undefined;
  const sent = `${asked.path} ${asked.body ?? ''} ${JSON.stringify(asked.headers)}`;
  // A session of the other team, which a right token of it began.
  if (sent.includes(other.ids.ownToken)) return undefined;
  const seen = `${text} ${JSON.stringify(headers)}`;
  return [
    ...(seen.includes(MARK) ? [`it shows a name of another team: ${around(seen, MARK)}`] : []),
    ...Object.entries(other.ids)
      .filter(([, id]) => seen.includes(id) && !sent.includes(id) && !own.storedIds.has(id))
      .map(([kind]) => `it shows the ${kind} of another team`),
    ...(asked.caller === 'limited' && seen.includes(HIDDEN_MARK)
      ? [`it shows a suite that the token does not name: ${around(seen, HIDDEN_MARK)}`]
      : []),
  ];
}

const around = (text, part) => text.slice(Math.max(0, text.indexOf(part) - 80), text.indexOf(part) + 80);

function keepsSecrets({ operation, asked, answer, teams: { own, other } }) {
  const seen = `${answer.text} ${JSON.stringify(answer.headers)}`;
  const sent = `${asked.path} ${asked.body ?? ''} ${JSON.stringify(asked.headers)}`;
  return [
    ...[...own.secrets, ...other.secrets]
      .filter((secret) => seen.includes(secret) && !sent.includes(secret))
      .map((secret) => `it shows a secret: ${secret.slice(0, 6)}...`),
    ...(ANY_TOKEN.test(seen) && !ISSUING.has(operation.name) && !ANY_TOKEN.test(sent) ? ['it shows a token'] : []),
  ];
}
