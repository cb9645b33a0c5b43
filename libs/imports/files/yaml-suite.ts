import type { Json, JsonObject } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/input/problem';
import type { SuiteSettings } from '#lib/contracts/suite';
import type { SuiteDraft, ImportSource } from '../source/import-source.js';
import { readWholeText } from '../source/text-stream.js';
import { readNativeSuite } from './native-suite.js';
import { readYaml, YAML_LIMIT } from './read-yaml.js';

/** Imports the native format written as YAML. */
export async function importYaml({ text: given, settings }: ImportSource): Promise<SuiteDraft> {
  const text = await readWholeText(given, YAML_LIMIT);
  if (typeof text !== 'string')
    throw new ProblemError(400, 'YAML is text: send it as application/yaml, or as the "text" of a JSON object.');
  const { value, linesOf } = readYaml(text);
  const draft = readNativeSuite(value, undefined);
  return { suite: { ...draft.suite, ...settings, test_cases: draft.suite.test_cases }, lines: linesOf('test_cases') };
}

/** YAML includes JSON, so only the outer levels use YAML's own notation. */
export function yamlSettings({ tools, ...settings }: SuiteSettings): string {
  const lines = Object.entries(settings).map(([key, value]) => `${key}: ${inline(value)}\n`);
  return `${lines.join('')}tools:\n${tools.map((tool) => `  - ${inline(tool as unknown as Json)}\n`).join('')}`;
}

/** Writes an entry of the list `test_cases`. */
export function yamlCase(input: JsonObject): string {
  const fields = Object.entries(input).map(([key, value]) => `${key}: ${inline(value)}`);
  return fields.length ? `  - ${fields.join('\n    ')}\n` : '  - {}\n';
}

/** JSON with additional escapes for the characters that YAML requires to be escaped. */
const inline = (value: Json): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
