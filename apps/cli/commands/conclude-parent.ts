import type { ApiClient } from '#lib/client/api-client';
import type { GlobalOptions } from '../command.js';
import { EXIT, exitWith } from '../exit-codes.js';
import { printReport } from '../output/report-lines.js';
import { print, printError, printJson, writeLines } from '../output/terminal.js';
import { PARENT_KINDS, type ParentType, type ShownParent } from './parent-kinds.js';

export interface FollowParentOptions extends GlobalOptions {
  watch?: boolean;
  /** A file for the report. */
  markdown?: string;
}

/** A job and its tune or report, as the API answers a submit. */
export interface SubmittedParent {
  job_id: string;
  tune_id?: string;
  report_id?: string;
}

/** Prints what was submitted, or waits for the end and reports if a watch or a report was requested. */
export async function followParent(
  client: ApiClient,
  type: ParentType,
  submitted: SubmittedParent,
  { watch, markdown, json }: FollowParentOptions,
): Promise<void> {
  const { job_id: jobId } = submitted;
  const id = (submitted.tune_id ?? submitted.report_id)!;
  const { name, show } = PARENT_KINDS[type];
  if (watch || markdown !== undefined) {
    const shown = await watchToEnd(client, type, { id, job_id: jobId }, { json });
    if (markdown !== undefined) writeLines(markdown, await markdownOf(shown));
    if (json) printJson(shown.parent);
    else printReport(shown.report);
    exitByStatus(type, shown.parent, { json });
  } else if (json) printJson(submitted);
  else print(`Submitted: ${name} ${id}, job ${jobId}`, `Follow it with: ${show} ${id} --watch`);
}

export const markdownOf = async ({ report }: ShownParent): Promise<string[]> =>
  (await import('../output/report-markdown.js')).reportMarkdown(report);

/** Waits for the end of a parent job. */
export function watchToEnd(
  client: ApiClient,
  type: ParentType,
  { id, job_id: jobId }: { id: string; job_id: string },
  { json }: GlobalOptions,
): Promise<ShownParent> {
  const { name, show, watch } = PARENT_KINDS[type];
  return watch(client, jobId, id, { silent: json === true }).catch((error: Error) => {
    throw new Error(
      `Watching stopped, but the ${name} continues on the server: ${name} ${id}, job ${jobId} (${show} ${id}).`,
      { cause: error },
    );
  });
}

/** A parent job that was stopped has no valid answer, whatever it found until then. */
export function exitByStatus(
  type: ParentType,
  { status, job_id: jobId }: ShownParent['parent'],
  { json }: GlobalOptions,
): void {
  if (status === 'completed') return;
  exitWith(EXIT.negative);
  if (!json) printError(`The ${PARENT_KINDS[type].name} is ${status}. Continue with: toolmark resume ${jobId}`);
}
