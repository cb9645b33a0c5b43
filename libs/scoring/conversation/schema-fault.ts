import { jsonPointer } from '#lib/contracts/input/problem';
import { schemaErrors } from '../checks/check-tools.js';
import type { SchemaFault } from './play.js';

const MAX_FAULTS = 3;
const MAX_CHARACTERS = 300;

/** Checks arguments against the schema of their tool. It loads Ajv, so the page plays calls without it. */
export const schemaFault: SchemaFault = (tool, args) => {
  const errors = schemaErrors(tool, args);
  if (errors.length === 0) return undefined;
  const sentences = errors.slice(0, MAX_FAULTS).map(({ instancePath, message, params, keyword }) => {
    const { additionalProperty, allowedValues } = params as { additionalProperty?: string; allowedValues?: unknown };
    const place = instancePath + (additionalProperty === undefined ? '' : jsonPointer([additionalProperty]));
    const values = keyword === 'enum' ? `: ${JSON.stringify(allowedValues)}` : '';
    const says = additionalProperty === undefined ? `${message ?? keyword}${values}` : 'is not a parameter';
    return `${place === '' ? 'they' : place} ${says}`.slice(0, MAX_CHARACTERS);
  });
  return `${[...new Set(sentences)].join('; ')}.`;
};
