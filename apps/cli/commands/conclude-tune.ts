import { writeFileSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import type { ParamTune, ParamTuneSubmitted } from '#lib/contracts/param-tune';
import type { GlobalOptions } from '../command.js';
import { EXIT, exitWith } from '../exit-codes.js';
import { tuneLines } from '../output/tune-lines.js';
import { print, printError, printJson } from '../output/terminal.js';
import type { TuneReport } from '../output/tune-report.js';

export interface FollowTuneOptions extends GlobalOptions {
  watch?: boolean;
  /** A file for the report. */
  markdown?: string;
}
type Submitted = Pick<ParamTuneSubmitted, 'job_id' | 'tune_id'>;

/** Says what was submitted, or what becomes of it when it is watched or a report is asked for. */
export async function followTune(client: ApiClient, submitted: Submitted, options: FollowTuneOptions): Promise<void> {
  const { job_id: jobId, tune_id: tuneId } = submitted;
  if (options.watch || options.markdown !== undefined)
    return concludeTune(await watch(client, submitted, options), options);
  if (options.json) printJson(submitted);
  else print(`Submitted: tune ${tuneId}, job ${jobId}`, `Follow it with: toolmark tunes show ${tuneId} --watch`);
}

/** Waits for the end of a tune. */
export async function watch(client: ApiClient, submitted: Submitted, { json }: GlobalOptions): Promise<TuneReport> {
  const { job_id: jobId, tune_id: tuneId } = submitted;
  const { watchTune } = await import('../watch-tune.js');
  return watchTune(client, submitted, { silent: json === true }).catch((error: Error) => {
    throw new Error(
      `Watching ended, but the tune goes on at the server: tune ${tuneId}, job ${jobId} ` +
        `(toolmark tunes show ${tuneId}).`,
      { cause: error },
    );
  });
}

/** Writes the report, prints what was found, and sets the exit code. */
export async function concludeTune(report: TuneReport, { markdown, json }: FollowTuneOptions): Promise<void> {
  const { tune } = report;
  if (markdown !== undefined) {
    const { tuneMarkdown } = await import('../output/tune-markdown.js');
    writeFileSync(markdown, `${tuneMarkdown(report).join('\n')}\n`);
  }
  if (json) printJson(tune);
  else print(...tuneLines(report));
  exitByStatus(tune, { json });
}

/** A tune that was stopped has no answer that stands, whatever it found until then. */
export function exitByStatus({ status, job_id: jobId }: ParamTune, { json }: GlobalOptions): void {
  if (status === 'completed') return;
  exitWith(EXIT.negative);
  if (!json) printError(`The tune is ${status}. Go on with: toolmark resume ${jobId}`);
}
