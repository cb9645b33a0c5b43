import { z } from 'zod';
import { named, namedInput } from './named.js';
import { time } from './page.js';

/** The limits of notes. */
export const NOTES = { length: 2_000, inRun: 1_000 };

export const ResultNoteInput = namedInput('ResultNoteInput', 'A note on a result.', {
  text: z.string().trim().min(1).max(NOTES.length).describe('The note, for everybody in the team.'),
});
export type ResultNoteInput = z.infer<typeof ResultNoteInput>;

export const ResultNote = named('ResultNote', 'What somebody in the team noted on a result. It changes no score.', {
  text: z.string().describe('The note; in a list with `lean`, its first 200 characters.'),
  user: z.string().nullable().describe('The user who wrote it last; null when that user is gone.'),
  updated_at: time.describe('When it was last changed.'),
});
export type ResultNote = z.infer<typeof ResultNote>;
