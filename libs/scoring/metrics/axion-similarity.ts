import { z } from 'zod';
import { isNumber, isObject, toNumber, type Json, type JsonObject } from '#lib/contracts/json/json';
import { sequenceRatio } from '../arguments/sequence-ratio.js';
import { metric, NO_OPTIONS, requiredJson } from './metric.js';
import { hasKey, pythonEqual, pythonType } from './python-values.js';

export const axionSimilarity = metric({
  id: 'axion_similarity',
  reference: 'Axion value similarity',
  version: '2026-08',
  meaning: 'Similarity of two argument values.',
  options: NO_OPTIONS,
  input: z.strictObject({ called: requiredJson, expected: requiredJson }),
  example: { input: { called: 'Paris', expected: 'Paris, France' } },
  score: ({ called, expected }) => ({ score: similarityOf(called, expected) }),
  notInRuns:
    'It compares two values, not calls. Use "toolmark score", or "axion_tool_correctness" with ' +
    '{"check_parameters": true, "parameter_matching_strategy": "fuzzy"}.',
});

/** Axion's similarity of two values. It is not symmetric, and it is negative for numbers of opposite signs. */
export function similarityOf(called: Json, expected: Json): number {
  if (called === null || expected === null || pythonType(called) !== pythonType(expected)) return 0;
  if (typeof called === 'string') return sequenceRatio(called, expected as string);
  if (typeof called === 'boolean') return called === expected ? 1 : 0;
  if (isNumber(called) && isNumber(expected)) return numberSimilarity(toNumber(called), toNumber(expected));
  if (isObject(called) && isObject(expected)) return objectSimilarity(called, expected);
  return pythonEqual(called, expected) ? 1 : 0;
}

function numberSimilarity(a: number, b: number): number {
  if (a === 0 && b === 0) return 1;
  if (a === 0 || b === 0) return 0;
  return 1 - Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
}

function objectSimilarity(a: JsonObject, b: JsonObject): number {
  const union = new Set([...Object.keys(a), ...Object.keys(b)]).size;
  if (union === 0) return 1;
  const shared = Object.keys(a).filter((key) => hasKey(b, key));
  const values = shared.length
    ? shared.reduce((sum, key) => sum + similarityOf(a[key]!, b[key]!), 0) / shared.length
    : 0;
  return (shared.length / union + values) / 2;
}
