import type { CaseInput } from '#lib/contracts/case';
import { DRAFT_PROMPT } from '#lib/contracts/values/suites';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';

/** Drafts a case for each tool. The author writes the request and removes "draft". */
export const draftCases = (tools: readonly Tool[]): CaseInput[] =>
  tools.map(({ function: { name, description, parameters } }): CaseInput => ({
    name: `draft: ${name}`,
    prompt:
      `${DRAFT_PROMPT} for whom "${name}" is the right ` +
      `tool.${description ? ` It says of itself: ${firstSentence(description)}` : ''}`,
    expected_tool: name,
    expected_params: requiredOnes(parameters),
    draft: true,
  }));

const firstSentence = (text: string): string =>
  (/^[^]*?[.!?](?=\s|$)/.exec(text.trim())?.[0] ?? text.trim()).slice(0, 500);

function requiredOnes(schema: JsonObject | undefined): JsonObject {
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.fromEntries(
    required.flatMap((key) =>
      typeof key === 'string' && Object.hasOwn(properties, key) ? [[key, sampleOf(properties[key]!, 0)]] : [],
    ),
  );
}

/** Returns a value that fits a parameter's schema: one that the schema names, otherwise any. */
function sampleOf(schema: Json, depth: number): Json {
  if (!isObject(schema) || depth > 5) return { $any: true };
  if (schema.const !== undefined) return schema.const;
  for (const list of [schema.enum, schema.examples])
    if (Array.isArray(list) && list.length > 0 && !isObject(list[0])) return list[0]!;
  if (schema.default !== undefined && !isObject(schema.default)) return schema.default;
  return { $any: true };
}
