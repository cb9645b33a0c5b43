import { NOTE_CODES } from './note-codes.js';
import { note, noted, readNotes, storeNotes, withNote } from './note.js';
import { fieldOf } from './input/pointer.js';
import { ProblemError } from './input/problem.js';
import { PROBLEM_CODES, type CodeEntry } from './problem-codes.js';

it('codes are words joined by underscores, each with sentences about what it means and what helps', () => {
  const entries = Object.entries<CodeEntry>({ ...PROBLEM_CODES, ...NOTE_CODES });
  expect(entries.filter(([code]) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  expect(entries.filter(([, { means, wayOut }]) => !/^[A-Z`].*\.$/.test(means) || !/\.$/.test(wayOut))).toEqual([]);
});

it('a problem and a note never share a code', () => {
  expect(Object.keys(NOTE_CODES).filter((code) => code in PROBLEM_CODES)).toEqual([]);
});

it('a problem without a code of its own has that of its status, and keeps one of its own at another place', () => {
  expect(
    ([400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503] as const).map(
      (status) => new ProblemError(status, 'x').code,
    ),
  ).toEqual([
    ...['invalid_input', 'not_signed_in', 'forbidden', 'not_found', 'request_timeout', 'conflict', 'too_large'],
    ...['unsupported_type', 'invalid_input', 'too_many_requests', 'unavailable'],
  ]);
  const own = new ProblemError(409, 'x', undefined, 5).as('budget_spent', { run_id: '7' });
  const errors = [{ path: '/a', message: 'is spent' }];
  expect(own.at(errors)).toMatchObject({
    status: 409,
    code: 'budget_spent',
    params: { run_id: '7' },
    errors,
    retryAfterMs: 5,
  });
});

it('a place of the input is written as people write it', () => {
  expect(['/judge', '/models/0/params', '/items/0/name', '/a~1b/c~0d', '/0'].map(fieldOf)).toEqual([
    ...['judge', 'models[0].params', 'items[0].name', 'a/b.c~d', '[0]'],
  ]);
});

describe('notes', () => {
  const one = note('looks_used_up', 'All looks are used.', { planned: 2 });

  it('are texts for people, and the same with codes for programs', () => {
    expect(noted([one])).toEqual({ notes: ['All looks are used.'], note_details: [one] });
  });

  it('are stored so that the release before reads them, and those it stored are read', () => {
    expect(storeNotes([one]).notes).toEqual(['All looks are used.']);
    expect(readNotes(storeNotes([one]))).toEqual([one]);
    expect(readNotes({ notes: ['Of before.'] })).toEqual([{ code: 'note', params: {}, text: 'Of before.' }]);
    expect(readNotes(withNote({ notes: ['Of before.'] }, one)).map(({ code }) => code)).toEqual([
      'note',
      'looks_used_up',
    ]);
    expect(readNotes({})).toEqual([]);
  });
});
