import type { ComparedItem } from '#lib/contracts/comparison';
import { expectedCalls, toolName } from './paired-calls.js';

type Judged = Pick<ComparedItem, 'expected'>;
type Called = ComparedItem['a']['called'];

/** "get_weather(city: "Paris")": what a case expects, on one line. Numbers keep their source text. */
export function expectedText({ expected }: Judged): string {
  const calls = expectedCalls(expected).map(({ tool, params }) =>
    params == null ? `${toolName(tool)} with any arguments` : `${toolName(tool)}(${argumentsText(params)})`,
  );
  return calls.join(', ') || 'no call';
}

/** A model's calls, on one line. */
export function calledText(called: Called): string {
  const calls = called.map(
    ({ name, arguments: given, raw }) => `${name}(${given ? argumentsText(given) : (raw ?? '')})`,
  );
  return calls.join(', ') || 'no call';
}

const argumentsText = (given: unknown): string => JSON.stringify(given).slice(1, -1);
