import { z } from 'zod';
import type { Facts as FactsOf } from './input/problem.js';
import { Facts } from './input/problem-document.js';
import { named } from './named.js';
import type { NoteCode } from './note-codes.js';

export const Note = named('Note', 'Something to know before trusting figures, or to consider before submitting.', {
  code: z.string().meta({
    description:
      'What kind of note this is, for programs. `docs/problems.md` lists the codes with a way out for each. A later ' +
      'release may add others.',
    examples: ['baseline_one_sample'],
  }),
  params: Facts.describe('Facts of the note by name, such as ids and counts.'),
  text: z.string().describe('The note for people, as in `notes`.'),
});
export type Note = z.infer<typeof Note>;

/** The fields of an answer with notes. @param description of the texts */
export const noteFields = (description: string) => ({
  notes: z.array(z.string()).describe(description),
  note_details: z
    .array(Note)
    .optional()
    .describe('`notes` with a code and facts for each. Left out in answers that an earlier release stored.'),
});

export const note = (code: NoteCode, text: string, params: FactsOf = {}): Note => ({ code, params, text });

/** Both forms of notes in an answer: texts for people, and codes for programs. */
export const noted = (notes: readonly Note[]): { notes: string[]; note_details: Note[] } => ({
  notes: notes.map(({ text }) => text),
  note_details: [...notes],
});

/** Notes as they are stored: texts, which the release before reads, and the same notes with their codes. */
export interface StoredNotes {
  notes?: string[];
  noteDetails?: Note[];
}

export const storeNotes = (notes: readonly Note[]): { notes: string[]; noteDetails: Note[] } => ({
  notes: notes.map(({ text }) => text),
  noteDetails: [...notes],
});

/** A text that an earlier release stored has no code of its own. */
export const readNotes = ({ notes = [], noteDetails = [] }: StoredNotes): Note[] =>
  notes.map((text) => noteDetails.find((one) => one.text === text) ?? note('note', text));

export const withNote = <State extends StoredNotes>(state: State, added: Note): State => ({
  ...state,
  ...storeNotes([...readNotes(state), added]),
});
