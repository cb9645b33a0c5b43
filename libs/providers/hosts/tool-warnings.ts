import { isObject, type JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { Tool } from '#lib/contracts/tool';
import { hidesFromGemini, rootCombinators } from '../dialects/root-combinators.js';
import { rulesOf, type HostRules } from './host-rules.js';
import { findStrictFault, placesOf } from './strict-schema.js';

/** A provider of the team, or one of its models. */
export interface ToolHost {
  kind: ProviderKind;
  baseUrl: string;
  /** Its name for the user. */
  name: string;
}

export interface OfferedTools {
  tools: readonly Tool[];
  /** The maximum number of tools in one request. */
  most: number;
}

const MAX_WARNINGS = 20;
/** The maximum number of different hosts to check. */
const MAX_HOSTS = 20;
const MAX_NAMES = 5;

/** The effect of a host on some of the tools, named in `places`. */
interface Finding {
  places: string[];
  /** The rest of the sentence, after the tools. */
  says: (host: string, are: 'is' | 'are') => string;
}

/**
 * The tools that hosts reject or receive differently than written: a sentence for each host and reason, with the tools,
 * the host and the providers. For unknown hosts, only the effects of their format are listed.
 */
export function toolWarnings(offered: OfferedTools, hosts: readonly ToolHost[]): string[] {
  const named = new Map<string, ToolHost & { names: Set<string> }>();
  for (const one of hosts) {
    const key = `${one.kind} ${new URL(one.baseUrl).host} ${JSON.stringify(rulesOf(one.kind, one.baseUrl).strict)}`;
    const same = named.get(key) ?? { ...one, names: new Set<string>() };
    if (named.size < MAX_HOSTS) named.set(key, same);
    same.names.add(one.name);
  }
  const warnings = [...named.values()].flatMap(({ kind, baseUrl, names }) => {
    const host = `${new URL(baseUrl).host} (${listed([...names].map((name) => `"${name}"`))})`;
    return [
      ...numberWarnings(offered, rulesOf(kind, baseUrl), host),
      ...findingsOf(offered.tools, kind, rulesOf(kind, baseUrl)).map(
        ({ places, says }) => `${listed(places)} ${says(host, places.length === 1 ? 'is' : 'are')}`,
      ),
    ];
  });
  return warnings.length <= MAX_WARNINGS
    ? warnings
    : [
        ...warnings.slice(0, MAX_WARNINGS),
        `${warnings.length - MAX_WARNINGS} more warnings about hosts are not listed.`,
      ];
}

function numberWarnings({ tools, most }: OfferedTools, { maxTools, strict }: HostRules, host: string): string[] {
  const warnings: string[] = [];
  if (maxTools !== undefined && most > maxTools)
    warnings.push(
      `${most} tools cannot be sent to ${host} in one request: it takes ${maxTools}. Give the cases fewer ("tools" ` +
        'of a case), or use a provider that takes more.',
    );
  const strictTools = tools.filter((tool) => tool.function.strict === true).length;
  if (typeof strict === 'object' && strict.maxTools !== undefined && Math.min(strictTools, most) > strict.maxTools)
    warnings.push(
      `${strictTools} tools with "strict": true cannot be sent to ${host} in one request: it takes ${strict.maxTools}.`,
    );
  return warnings;
}

type AddFinding = (path: string, key: string, says: Finding['says']) => void;

function findingsOf(tools: readonly Tool[], kind: ProviderKind, rules: HostRules): Finding[] {
  const found = new Map<string, Finding>();
  for (const tool of tools) {
    const { name, parameters, strict } = tool.function;
    const add: AddFinding = (path, key, says) => {
      const finding = found.get(key) ?? { places: [], says };
      found.set(key, finding);
      finding.places.push(path ? `"${name}" (${path})` : `"${name}"`);
    };
    if (isObject(parameters)) findInParameters(parameters, kind, rules, add);
    if (strict === true) findInStrict(isObject(parameters) ? parameters : NO_ARGUMENTS, rules, add);
  }
  return [...found.values()];
}

const refuse = (add: AddFinding, path: string, why: string): void =>
  add(path, why, (host) => `cannot be sent to ${host} as written: ${why}.`);

/** Keywords other than combinators that OpenAI rejects at the root: its error names them. */
const REFUSED_AT_ROOT = ['enum', 'not'];

function findInParameters(parameters: JsonObject, kind: ProviderKind, rules: HostRules, add: AddFinding): void {
  const [first] = rootCombinators(parameters);
  const isMerged = kind === 'anthropic' ? first !== undefined : kind === 'google' && hidesFromGemini(parameters);
  if (isMerged)
    add(
      `/${first}`,
      'merged',
      (host, are) =>
        `${are} sent to ${host} without anyOf, oneOf or allOf at the root of the parameters, with the arguments of ` +
        'all branches.',
    );
  if (rules.wantsPlainRoot) {
    const refused = first ?? REFUSED_AT_ROOT.find((key) => Object.hasOwn(parameters, key));
    if (refused !== undefined)
      refuse(add, `/${refused}`, 'anyOf, oneOf, allOf, enum and not are refused at the root of parameters');
    else if (parameters.type === undefined) refuse(add, '', 'parameters need "type": "object"');
  }
  for (const [keyword, path] of rules.unknown ? placesOf(rules.unknown, parameters) : [])
    if (!isMerged || path !== `/${keyword}`)
      add(
        path,
        `unknown ${keyword}`,
        (host, are) => `${are} sent to ${host} with "${keyword}", which is not among the keywords that it supports.`,
      );
}

const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

function findInStrict(parameters: JsonObject, { strict }: HostRules, add: AddFinding): void {
  if (strict === 'absent')
    add('', 'strict', (host, are) => `${are} not strict at ${host}: it ignores "strict" at this base URL.`);
  if (typeof strict !== 'object') return;
  const fault = findStrictFault(parameters, strict);
  if (fault) refuse(add, fault.path, fault.why);
}

const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '');
