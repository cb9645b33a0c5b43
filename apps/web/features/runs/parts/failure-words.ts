import { differenceWords, argumentName } from '#lib/contracts/difference-words';
import type { FailureGroup } from '#lib/contracts/run-facets';
import { count } from '../../../ui/amounts.js';
import { toolWords } from './tool-words.js';

/** `search_files → create_event`; one name where both are alike, the kind of error where nothing was called. */
export function toolsOf({ error_type: type, expected_tool: wanted, called_tool: got }: FailureGroup): string {
  const [expected, called] = [toolWords(wanted), toolWords(got)];
  if (type === 'errored') return `${expected}, ${called.replaceAll('_', ' ')}`;
  return expected === called ? expected : `${expected} → ${called}`;
}

/** `folder: "inbox", not "sent"`; undefined where the group is about no argument. */
export function argumentWords({ argument, difference, count: n }: FailureGroup): string | undefined {
  if (argument === null) return undefined;
  return difference ? `${n > 1 ? 'such as ' : ''}${differenceWords(difference)}` : argumentName(argument);
}

/** `search_email, folder: "inbox", not "sent"`; `search_files → create_event`; `bad request`. */
export const groupWords = (group: FailureGroup): string =>
  [toolsOf(group), argumentWords(group)].filter((words) => words !== undefined).join(', ');

const MAX_NAMED = 8;

/** "5 of 60 models: b 12, a 3 and 3 more" */
export function stripWords(names: readonly string[], counts: readonly number[]): string {
  const failing = names
    .map((name, ordinal) => ({ name, n: counts[ordinal] ?? 0 }))
    .filter(({ n }) => n > 0)
    .sort((one, other) => other.n - one.n);
  const named = failing.slice(0, MAX_NAMED).map(({ name, n }) => `${name.slice(0, 100)} ${count(n)}`);
  const more = failing.length - named.length;
  const models = names.length === 1 ? '1 model' : `${count(names.length)} models`;
  return `${count(failing.length)} of ${models}: ${named.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}
