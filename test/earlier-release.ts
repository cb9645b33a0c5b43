import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The release before this one: its commit, and its last migration. CONTRIBUTING.md says when the file is changed. */
export function earlierRelease(): { commit: string; lastMigration: string } {
  const [commit = '', lastMigration = ''] = readFileSync(resolve('test/earlier-release.txt'), 'utf8').trim().split(' ');
  return { commit, lastMigration };
}
