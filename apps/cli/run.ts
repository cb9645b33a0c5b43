import { existsSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import { findSuite } from './find-suite.js';
import { readSuiteFile } from './read-suite-file.js';
import { leaderboard } from './show.js';
import { say, sayJson, tell } from './terminal.js';
import { watchRun } from './watch-run.js';
import type { Options } from './main.js';

export async function run(client: ApiClient, [suite]: string[], options: Options): Promise<void> {
  const models =
    options.models
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  if (!suite || models.length === 0) throw new Error('toolmark run SUITE --models provider::model,provider::model');
  const settings = {
    ...(options.samples && { samples: numberOf('--samples', options.samples) }),
    ...(options.temperature && { temperature: numberOf('--temperature', options.temperature) }),
    ...(options.cache && { cache: options.cache }),
    ...(options['tool-choice'] && { tool_choice: options['tool-choice'] }),
  };
  const { suiteId, forget } = await suiteOf(client, suite);
  const { job_id, eval_id } = await client
    .submit({ suite_id: suiteId, models, ...settings })
    .catch(async (error: Error) => {
      await forget();
      throw error;
    });
  await follow(client, { job_id, eval_id }, options);
}

/** Says what was submitted, or with --watch what becomes of it. */
export async function follow(
  client: ApiClient,
  submitted: { job_id: string; eval_id: string },
  options: Options,
): Promise<void> {
  const { job_id, eval_id } = submitted;
  if (!options.watch) {
    if (options.json) sayJson(submitted, 2);
    else say(`Submitted: run ${eval_id}, job ${job_id}`);
    return;
  }
  const done = await watchRun(client, job_id, eval_id, { silent: options.json === true }).catch((error: Error) => {
    throw new Error(`Watching ended, the run goes on at the server: run ${eval_id}, job ${job_id} (toolmark jobs).`, {
      cause: error,
    });
  });
  if (options.json) sayJson(done, 2);
  else
    say(
      ...leaderboard(done),
      '',
      `Run ${eval_id} is ${done.status}. What failed: toolmark results ${eval_id} --failed`,
    );
  if (done.status !== 'completed') process.exitCode = 1;
}

/** A file is imported first; `forget` takes that back, for when nothing came of it. */
export async function suiteOf(client: ApiClient, suite: string): Promise<{ suiteId: string; forget(): Promise<void> }> {
  if (!existsSync(suite))
    return { suiteId: await findSuite(client, suite, ', and there is no file of that name'), forget: async () => {} };
  const { suite_id: suiteId, warnings } = await client.importSuite(readSuiteFile(suite));
  for (const warning of warnings) tell(`Warning: ${warning}`);
  return { suiteId: suiteId!, forget: () => client.call('DELETE', `/api/tool-suites/${suiteId}`) };
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new Error(`${option} takes a number, not "${text}".`);
}
