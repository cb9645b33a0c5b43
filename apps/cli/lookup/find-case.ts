import { existsSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import type { Case } from '#lib/contracts/case';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import { isObject, parseJson, type JsonObject } from '#lib/contracts/json/json';
import { NegativeAnswer } from '../exit-codes.js';
import { readText, STDIN } from '../suite-files/read-suite-file.js';
import { isIdPrefix, startsWithId } from './match.js';
import { readAll } from './read-list.js';

/**
 * Finds a case by file, `-` for standard input, number from 1, name or id, without the fields that the suite adds. Its
 * numbers are kept as they were written.
 */
export async function findCase(client: ApiClient, suiteId: string, wanted: string): Promise<JsonObject> {
  if (wanted === STDIN || wanted.endsWith('.json') || existsSync(wanted)) return readCase(wanted);
  const cases = await readAll<Case>(client, `/api/tool-suites/${suiteId}/cases`);
  const { id: _id, position: _position, ...input } = oneOf(cases, wanted) as Case & JsonObject;
  return input as JsonObject;
}

function readCase(path: string): JsonObject {
  const text = readText(path);
  const from = path === STDIN ? 'Standard input' : path;
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new Error(`${from} is not a case: ${(error as Error).message}`);
  }
  throw new Error(`${from} is not a case: a case is a JSON object, as toolmark suites show --json prints it.`);
}

function oneOf(cases: readonly Case[], wanted: string): Case {
  const named = cases.filter(({ name }) => name?.toLowerCase() === wanted.toLowerCase());
  const found = named.length > 0 ? named : cases.filter((one) => matchesCase(one, wanted));
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new NegativeAnswer(
      `${found.length} cases are "${wanted}". Give the number of one:`,
      found.slice(0, 20).map(({ position, name, prompt }) => `${position + 1} (${name ?? prompt?.slice(0, 60) ?? ''})`),
    );
  const names = cases.flatMap(({ name }) => name ?? []).slice(0, 2000);
  throw new NegativeAnswer(
    `No case of the suite has the number, the name or the id "${wanted}", and there is no file of that name. ` +
      suggestNames(wanted, names, 'its cases'),
  );
}

const matchesCase = ({ id, position }: Case, wanted: string): boolean =>
  /^\d{1,9}$/.test(wanted) ? position + 1 === Number(wanted) : isIdPrefix(wanted) && startsWithId(id, wanted);
