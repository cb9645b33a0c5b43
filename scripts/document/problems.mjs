// The tables of docs/problems.md: the codes of problems and notes, from their registries.
import { NOTE_CODES } from '../../dist/libs/contracts/note-codes.js';
import { PROBLEM_CODES } from '../../dist/libs/contracts/problem-codes.js';
import { code, table } from './tables.mjs';

export const problemCodes = () => codes(PROBLEM_CODES);
export const noteCodes = () => codes(NOTE_CODES);

const codes = (entries) =>
  table(
    ['code', 'means', 'way out', 'params'],
    Object.entries(entries).map(([name, { means, wayOut, command, params = [] }]) => [
      code(name),
      means,
      [wayOut, ...(command ? [`On the command line: ${code(command)}.`] : [])].join(' '),
      params.map(code).join(', '),
    ]),
  );
