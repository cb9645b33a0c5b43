import { z } from 'zod';
import type { Params as Facts } from './input/problem.js';
import { Params } from './input/problem-document.js';
import { named } from './named.js';
import type { NoteCode } from './note-codes.js';

export const Note = named('Note', 'Something to know before trusting figures, or to consider before submitting.', {
  code: z.string().meta({
    description:
      'What kind of note this is, for programs. `docs/problems.md` lists the codes with a way out for each. A later ' +
      'release may add others.',
    examples: ['baseline_one_sample'],
  }),
  params: Params.describe('Facts of the note by name, such as ids and counts.'),
  text: z.string().describe('The note for people, as in `notes`.'),
});
export type Note = z.infer<typeof Note>;

export const noteDetails = z
  .array(Note)
  .optional()
  .describe('`notes` with a code and facts for each. Left out in answers that an earlier release stored.');

export const note = (code: NoteCode, text: string, params: Facts = {}): Note => ({ code, params, text });

/** Both forms of notes in an answer: texts for people, and codes for programs. */
export const noted = (notes: readonly Note[]): { notes: string[]; note_details: Note[] } => ({
  notes: notes.map(({ text }) => text),
  note_details: [...notes],
});

/** Notes that may have been stored by an earlier release, as texts alone. */
export const storedNotes = (notes: readonly (Note | string)[] = []): Note[] =>
  notes.map((one) => (typeof one === 'string' ? note('note', one) : one));
