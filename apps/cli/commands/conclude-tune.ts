import { writeFileSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import type { GlobalOptions } from '../command.js';
import { EXIT, exitWith } from '../exit-codes.js';
import type { TuneType } from '../lookup/find-tune.js';
import { print, printError, printJson } from '../output/terminal.js';
import { TUNE_KINDS, type ShownTune, type TuneSubmitted } from './tune-kinds.js';

export interface FollowTuneOptions extends GlobalOptions {
  watch?: boolean;
  /** A file for the report. */
  markdown?: string;
}

/** Says what was submitted, or what becomes of it when it is watched or a report is asked for. */
export async function followTune(
  client: ApiClient,
  type: TuneType,
  submitted: TuneSubmitted,
  options: FollowTuneOptions,
): Promise<void> {
  const { job_id: jobId, tune_id: tuneId } = submitted;
  if (options.watch || options.markdown !== undefined)
    return concludeTune(await watch(client, type, submitted, options), options);
  if (options.json) printJson(submitted);
  else print(`Submitted: tune ${tuneId}, job ${jobId}`, `Follow it with: toolmark tunes show ${tuneId} --watch`);
}

/** Waits for the end of a tune. */
export function watch(
  client: ApiClient,
  type: TuneType,
  submitted: TuneSubmitted,
  { json }: GlobalOptions,
): Promise<ShownTune> {
  const { job_id: jobId, tune_id: tuneId } = submitted;
  return TUNE_KINDS[type].watch(client, submitted, { silent: json === true }).catch((error: Error) => {
    throw new Error(
      `Watching ended, but the tune goes on at the server: tune ${tuneId}, job ${jobId} ` +
        `(toolmark tunes show ${tuneId}).`,
      { cause: error },
    );
  });
}

/** Writes the report, prints what was found, and sets the exit code. */
async function concludeTune(shown: ShownTune, { markdown, json }: FollowTuneOptions): Promise<void> {
  if (markdown !== undefined) writeFileSync(markdown, `${(await shown.markdown()).join('\n')}\n`);
  if (json) printJson(shown.tune);
  else shown.print();
  exitByStatus(shown.tune, { json });
}

/** A tune that was stopped has no answer that stands, whatever it found until then. */
export function exitByStatus({ status, job_id: jobId }: ShownTune['tune'], { json }: GlobalOptions): void {
  if (status === 'completed') return;
  exitWith(EXIT.negative);
  if (!json) printError(`The tune is ${status}. Go on with: toolmark resume ${jobId}`);
}
