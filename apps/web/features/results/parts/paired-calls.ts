import type { z } from 'zod';
import { valueWords } from '#lib/contracts/difference-words';
import { isObject } from '#lib/contracts/json/json';
import type { ArgumentCheck as ArgumentCheckSchema } from '#lib/contracts/verdict';
import type { Result } from '../api';

type Judged = Pick<Result, 'expected' | 'called' | 'evidence'>;
export type ArgumentCheck = z.infer<typeof ArgumentCheckSchema>;
export type Called = Result['called'][number];

interface ExpectedCall {
  tool: unknown;
  params: unknown;
}

/** A row of a verdict: an expected call and the call that matches it, or one of them alone. */
export interface PairedCalls {
  expected?: ExpectedCall;
  called?: Called;
  /** Whether another tool was called in place of the only one that was expected. */
  isOther?: boolean;
  checks: readonly ArgumentCheck[];
  /** Arguments of the call that the case does not mention. */
  extra: { name: string; value: unknown }[];
}

/** The calls that a case expects; none if it expects no tool call. */
function expectedCalls({ tool, params, calls }: Judged['expected']): ExpectedCall[] {
  if (calls) return calls.map((call) => ({ params: null, ...(call as { tool: unknown }) }));
  return tool === null || tool === undefined ? [] : [{ tool, params }];
}

/** Pairs in the order of the expected calls, including missing ones; then unexpected calls. */
export function pairedCalls({ expected, called, evidence }: Judged): PairedCalls[] {
  const all = expectedCalls(expected);
  const lines = all.map((one, index): PairedCalls => {
    const pair = evidence?.pairs.find((each) => each.expected === index);
    return {
      expected: one,
      called: pair && called[pair.called],
      checks: pair?.arguments ?? [],
      extra: pair ? extraOf(pair.called, called[pair.called], evidence?.extra_arguments ?? []) : [],
    };
  });
  const paired = new Set(evidence?.pairs.map((pair) => pair.called));
  const others = called.filter((_call, index) => !paired.has(index));
  const [missing, ...moreMissing] = lines.filter((line) => line.called === undefined);
  if (missing && moreMissing.length === 0 && others.length === 1)
    return lines.map((line) => (line === missing ? { ...line, called: others[0], isOther: true } : line));
  return [...lines, ...others.map((call): PairedCalls => ({ called: call, checks: [], extra: [] }))];
}

/** @param paths as `/called index/key` */
function extraOf(index: number, call: Called | undefined, paths: readonly string[]): PairedCalls['extra'] {
  const start = `/${index}/`;
  return paths
    .filter((path) => path.startsWith(start))
    .map((path) => {
      const name = path.slice(start.length).replaceAll('~1', '/').replaceAll('~0', '~');
      return { name, value: Object.hasOwn(call?.arguments ?? {}, name) ? call?.arguments?.[name] : undefined };
    });
}

/** "get_time or get_weather". */
export const toolName = (tool: unknown): string => (Array.isArray(tool) ? tool.map(String).join(' or ') : String(tool));

/** "get_weather(city: "Paris")": what a case expects, on one line. Numbers keep their source text. */
export function expectedText({ expected }: Pick<Judged, 'expected'>): string {
  const calls = expectedCalls(expected).map(({ tool, params }) =>
    params == null ? `${toolName(tool)} with any arguments` : `${toolName(tool)}(${argumentsText(params)})`,
  );
  return calls.join(', ') || (expected.goal && !expected.calls ? 'any calls' : 'no call');
}

/** Arguments on one line. */
export const argumentsText = (given: unknown): string =>
  isObject(given)
    ? Object.entries(given)
        .map(([name, value]) => `${name}: ${valueWords(value)}`)
        .join(', ')
    : valueWords(given);

/** An argument of calls that nothing compared. */
export interface Apart {
  name: string;
  /** Absent where the case does not mention it. */
  expected?: unknown;
  /** Absent where the call does not have it. */
  called?: unknown;
}

/** The arguments of a line whose calls were not compared, by their names. */
export function argumentsApart({ expected, called }: PairedCalls): Apart[] {
  const [wanted, given] = [expected?.params, called?.arguments].map((each) => (isObject(each) ? each : {}));
  const names = new Set([...Object.keys(wanted!), ...Object.keys(given!)]);
  return [...names].map((name) => ({
    name,
    ...(Object.hasOwn(wanted!, name) && { expected: wanted![name] }),
    ...(Object.hasOwn(given!, name) && { called: given![name] }),
  }));
}
