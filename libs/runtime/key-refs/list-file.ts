import { posix } from 'node:path';
import { z } from 'zod';
import type { InputError } from '#lib/contracts/input/problem';
import { isOwnVariable } from '../env.js';
import { readSettings } from '../settings-file.js';

/** What the system presents as files, and has secrets of this process. */
const SYSTEM_FOLDERS = ['/proc/', '/sys/', '/dev/'];

function problemOf(ref: string): string | undefined {
  if (ref.startsWith('env:')) {
    const name = ref.slice('env:'.length);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'must be env:NAME, with the name of an environment variable';
    return isOwnVariable(name) ? `names ${name}, a setting of Toolmark or of its platform, not a key` : undefined;
  }
  const path = ref.slice('file:'.length);
  if (!ref.startsWith('file:/') || /[\0-\x1f\x7f]/.test(path)) return 'must be file:/path or env:NAME';
  if (posix.normalize(path) !== path || path.endsWith('/'))
    return 'must be the path of a file without ".", ".." and empty parts';
  return SYSTEM_FOLDERS.some((folder) => path.startsWith(folder)) ? 'is a file of the system, not a key' : undefined;
}

const Ref = z
  .string()
  .max(1000)
  .superRefine((ref, context) => {
    const problem = problemOf(ref);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

const Team = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((name) => name !== '*', 'must be the name of a team: no entry is for all teams');

const Origin = z
  .string()
  .max(2000)
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return /^https?:$/.test(url?.protocol ?? '') && url!.href === `${url!.origin}/`;
  }, 'must be an origin such as https://api.openai.com, without a path')
  .transform((text) => new URL(text).origin);

const Entry = z.strictObject({
  ref: Ref,
  teams: z.array(Team).min(1).max(1000),
  origins: z.array(Origin).min(1).max(100).optional(),
});
const ListFile = z.strictObject({ keys: z.array(Entry).max(500) }).superRefine(({ keys }, context) => {
  for (const [index, { ref }] of keys.entries())
    if (keys.findIndex((other) => other.ref === ref) < index)
      context.addIssue({ code: 'custom', path: ['keys', index, 'ref'], message: 'is taken by another entry' });
});

/** A key that providers may name. */
export interface ListedKey {
  /** `file:/path` or `env:NAME` */
  ref: string;
  /** Names of the teams that may use it. */
  teams: string[];
  /** Where it may be sent; undefined: anywhere. */
  origins?: string[] | undefined;
}

/** Reads the text of TOOLMARK_KEY_REFS_FILE. @returns its entries, or every wrong place */
export function readListedKeys(text: string): { keys: ListedKey[] } | { errors: InputError[] } {
  const settings = readSettings(text, ListFile);
  return 'data' in settings ? settings.data : settings;
}
