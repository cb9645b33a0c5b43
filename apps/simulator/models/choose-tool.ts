import { memoizeBounded } from './memoize.js';
import { meanings } from './words.js';
import type { JsonSchema, Tool } from '../formats/chat-completions.js';

/** The weight of a matching word, by where it occurs in the tool. */
const WEIGHT = { name: 3, description: 1, enum: 1.5, parameter: 0.7, parameterDescription: 0.4 };

export interface Lexicon {
  tools: { tool: Tool; weights: Map<string, number>; nameWords: readonly string[] }[];
  /** Number of tools with each word. A word of every tool carries no information. */
  toolsWith: Map<string, number>;
}

/**
 * The words of a tool set, memoized by its identity: a suite sends the same tools with every case (see `readBody`).
 */
export const lexiconOf = memoizeBounded((tools: Tool[]): Lexicon => {
  const lexicon: Lexicon = { tools: tools.map(wordsOf), toolsWith: new Map() };
  for (const { weights } of lexicon.tools)
    for (const word of weights.keys()) lexicon.toolsWith.set(word, (lexicon.toolsWith.get(word) ?? 0) + 1);
  return lexicon;
}, 100);

function wordsOf(tool: Tool): Lexicon['tools'][number] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of meanings(text)) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  const addSchema = (schema: JsonSchema) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      add(name, WEIGHT.parameter);
      add(property.description ?? '', WEIGHT.parameterDescription);
      for (const value of property.enum ?? []) add(String(value), WEIGHT.enum);
      addSchema(property);
    }
  };
  addSchema(tool.function.parameters ?? {});
  add(tool.function.description ?? '', WEIGHT.description);
  add(tool.function.name, WEIGHT.name);
  return { tool, weights, nameWords: meanings(tool.function.name) };
}

/** Ranks tools by how well their words fit the prompt, best first. `fit` is 0 or more, and about 6 for a good fit. */
export function rankTools(prompt: string, lexicon: Lexicon): { tool: Tool; fit: number }[] {
  const asked = new Set(meanings(prompt));
  return lexicon.tools
    .map(({ tool, weights, nameWords }) => {
      let fit = 0;
      for (const word of asked) {
        const weight = weights.get(word);
        if (weight) fit += weight * Math.log2(1 + lexicon.tools.length / lexicon.toolsWith.get(word)!) * 0.5;
      }
      const named = nameWords.filter((word) => asked.has(word)).length / Math.max(1, nameWords.length);
      return { tool, fit: fit * (0.5 + named) };
    })
    .sort((a, b) => b.fit - a.fit);
}
