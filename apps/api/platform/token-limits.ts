import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '#lib/contracts/input/problem';
import { parseJson } from '#lib/contracts/json/json';
import type { Role } from '#lib/contracts/team';
import { isLimited, type Caller } from '#lib/db/catalogue/callers';
import { areWithin, findSuitesOf, namesOfSuites } from '#lib/db/catalogue/named-suites';
import type { Pool } from '#lib/db/connection/pool';
import type { CallerRequest } from './decorators.js';
import { LargeJson } from './large-bodies.js';
import { ruleOf, type NamedBy } from './suite-rules.js';
import { Upload } from './upload.js';

/** Changes that are nobody else's: what people keep for themselves, and the end of a session. */
const OWN_CHANGE = /^\/api\/(me\/(views|marks)\/.*|session)$/;

/** @throws ProblemError 403 when the token of the caller only reads, and the request does more */
export function checkReading(request: FastifyRequest, { limits, tokenName }: Caller, needed: Role): void {
  if (!limits.readsOnly) return;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (needed === 'viewer' && (isReading || OWN_CHANGE.test(routeOf(request)))) return;
  throw new ProblemError(
    403,
    `The token "${tokenName}" only reads: it changes nothing, and reads what a viewer may read. Use a token without ` +
      'this limit.',
  ).as('token_reads_only', { token: tokenName });
}

/**
 * A token with limits makes no tokens, lets nobody in, and changes nothing that needs an owner, or it would lead to
 * more than it has. @throws ProblemError 403
 */
export function refuseLimits({ limits, tokenName }: Caller): void {
  if (!isLimited(limits)) return;
  throw new ProblemError(
    403,
    `The token "${tokenName}" has limits, so it changes neither who may come in nor what needs an owner. Use one ` +
      'without limits.',
  ).as('token_limited', { token: tokenName });
}

/**
 * Holds tokens that are limited to suites to them. A route that no rule names is refused before its body is read. Then
 * whatever ids the path, the query and the body hold are looked up, whatever they are ids of.
 */
export function checkSuites(fastify: FastifyInstance, pool: Pool): void {
  const limitsOf = ({ caller }: CallerRequest) => caller?.limits.suiteIds ?? null;
  fastify.addHook('onRequest', async (request: CallerRequest) => {
    if (limitsOf(request) && ruleFor(request) === undefined)
      throw await refusal(pool, request.caller!, 'This request is about more than one suite, or makes one.');
  });
  fastify.addHook('preHandler', async (request: CallerRequest) => {
    const suiteIds = limitsOf(request);
    if (suiteIds) await checkNamed(pool, request, suiteIds);
  });
}

/** @throws ProblemError 403 when the token of the caller is limited to suites, and the thing is not of these alone */
export async function checkSuiteOf(pool: Pool, caller: Caller, id: string): Promise<void> {
  const { suiteIds } = caller.limits;
  if (suiteIds && !areWithin((await findSuitesOf(pool, caller.teamId, [id])).get(id.toLowerCase()), suiteIds))
    throw await refusal(pool, caller, OF_ANOTHER);
}
const OF_ANOTHER = 'This request names something that belongs to another suite, or to none.';

async function checkNamed(pool: Pool, request: CallerRequest, allowed: readonly string[]): Promise<void> {
  const caller = request.caller!;
  const body = bodyOf(request);
  const ids = [...new Set([request.params, request.query, body].flatMap((part) => [...idsIn(part)]))];
  if (ids.length > MAX_IDS) throw await refusal(pool, caller, `This request has more than ${MAX_IDS} ids.`);
  const suites = new Map<string, (string | null)[]>();
  for (let from = 0; from < ids.length; from += AT_ONCE)
    for (const found of await findSuitesOf(pool, caller.teamId, ids.slice(from, from + AT_ONCE))) suites.set(...found);
  const isAllowed = (id: string): boolean => areWithin(suites.get(id), allowed);
  if (ids.some((id) => suites.has(id) && !isAllowed(id))) throw await refusal(pool, caller, OF_ANOTHER);
  const rule = ruleFor(request)!;
  if (typeof rule === 'string') return;
  const named = namedBy(rule, { query: request.query, body });
  if (named.length > 0 && named.every(isAllowed)) return;
  throw await refusal(pool, caller, `This request has to name one of them, or something of one, as ${namesOf(rule)}.`);
}

/** Ids that one statement looks up. */
const AT_ONCE = 1000;
/** Looking up so many takes about a second. */
const MAX_IDS = 20_000;

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? '';
const ruleFor = (request: FastifyRequest) =>
  ruleOf(`${request.method === 'HEAD' ? 'GET' : request.method} ${routeOf(request)}`);

/** A file names nothing that belongs to a suite, and the replies of a `LargeJson` name only cases. */
const bodyOf = ({ body }: FastifyRequest): unknown =>
  body instanceof LargeJson ? parseJson(body.text) : body instanceof Upload ? undefined : body;

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** A longer text is prose: a prompt may quote any id. */
const LONGEST_NAME = 400;

/** The ids in the texts of a value, however deep. */
function* idsIn(value: unknown): Generator<string> {
  const open: unknown[] = [value];
  while (open.length) {
    const next = open.pop();
    if (typeof next === 'string' && next.length <= LONGEST_NAME)
      for (const [id] of next.matchAll(UUIDS)) yield id.toLowerCase();
    else if (typeof next === 'object' && next !== null) for (const one of Object.values(next)) open.push(one);
  }
}

/** What stands at the places of a rule: ids, or texts that are none. */
function namedBy({ query = [], body = [] }: NamedBy, of: { query: unknown; body: unknown }): string[] {
  const at = (value: unknown, key: string): unknown[] =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? [(value as Record<string, unknown>)[key]].flat()
      : [];
  const values = [...query.flatMap((key) => at(of.query, key)), ...body.flatMap((key) => at(of.body, key))];
  return values
    .filter((value) => value !== null && value !== undefined)
    .flatMap((value) => String(value).split(','))
    .map((text) => text.trim().toLowerCase());
}

const namesOf = ({ query = [], body = [] }: NamedBy): string => [...new Set([...query, ...body])].join(' or ');

const MAX_NAMED = 5;

async function refusal(pool: Pool, { teamId, tokenName, limits }: Caller, why: string): Promise<ProblemError> {
  const suiteIds = limits.suiteIds!;
  const names = (await namesOfSuites(pool, teamId, suiteIds)).map((name) => `"${name}"`);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const named = `the suite${names.length > 1 ? 's' : ''} ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
  const suites = names.length ? named : 'suites that were deleted';
  return new ProblemError(
    403,
    `The token "${tokenName}" is limited to ${suites}. ${why} Use a token without this limit.`,
  ).as('token_suites', { token: tokenName, suites: suiteIds.length });
}
