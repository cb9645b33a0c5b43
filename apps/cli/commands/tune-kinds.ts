import type { ApiClient } from '#lib/client/api-client';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { readArms, readTune, type TuneType } from '../lookup/find-tune.js';
import { readCandidates, readChanges, type TriedPrompt } from '../lookup/read-candidates.js';
import { promptTuneLines, tellGenerations } from '../output/prompt-tune-lines.js';
import { promptTuneScreen } from '../output/prompt-tune-screen.js';
import { print, printMarked } from '../output/terminal.js';
import { tellArms, tuneLines } from '../output/tune-lines.js';
import { tuneScreen } from '../output/tune-screen.js';
import type { Watched } from '../watch-tune.js';

/** What was submitted. */
export interface TuneSubmitted {
  job_id: string;
  tune_id: string;
}

/** A tune with all that is said of it. */
export interface ShownTune {
  tune: ParamTune | PromptTune;
  print(): void;
  /** For a pull request. */
  markdown(): Promise<string[]>;
}

/** What the commands do with tunes of a type. */
interface TuneKind {
  read(client: ApiClient, id: string): Promise<ShownTune>;
  /** Waits for its end. */
  watch(client: ApiClient, submitted: TuneSubmitted, options: { silent: boolean }): Promise<ShownTune>;
}

const kindOf = <Tune extends { step: string }, Part>(
  watchedOf: (client: ApiClient) => Watched<Tune, Part>,
  show: (client: ApiClient, tune: Tune, parts: Part[]) => ShownTune | Promise<ShownTune>,
): TuneKind => ({
  async read(client, id) {
    const { tune, parts } = watchedOf(client);
    return show(client, await tune(id), await parts(id));
  },
  async watch(client, submitted, options) {
    const { watchTune } = await import('../watch-tune.js');
    const { tune, parts } = await watchTune(client, submitted, watchedOf(client), options);
    return show(client, tune, parts);
  },
});

export const TUNE_KINDS: Record<TuneType, TuneKind> = {
  param_tune: kindOf<ParamTune, TuneArm>(
    (client) => {
      const tell = tellArms();
      return {
        tune: (id) => readTune(client, 'param_tune', id),
        parts: (id) => readArms(client, id),
        draw: ({ tune, parts: arms, job }, columns, rows) => tuneScreen({ tune, arms, job }, columns, rows),
        news: (_tune, arms) => tell(arms),
      };
    },
    (_client, tune, arms) => ({
      tune,
      print: () => print(...tuneLines({ tune, arms })),
      markdown: async () => (await import('../output/tune-markdown.js')).tuneMarkdown({ tune, arms }),
    }),
  ),
  prompt_tune: kindOf<PromptTune, TriedPrompt>(
    (client) => {
      const tell = tellGenerations();
      return {
        tune: (id) => readTune(client, 'prompt_tune', id),
        parts: (id) => readCandidates(client, id),
        draw: ({ tune, parts: candidates, job }, columns, rows) =>
          promptTuneScreen({ tune, candidates, job }, columns, rows),
        news: ({ step }, candidates, isOver) => tell(candidates, step === 'search' && !isOver),
      };
    },
    async (client, tune, candidates) => {
      const diff = tune.best ? await readChanges(client, tune.id, tune.best, 0) : [];
      const report = { tune, candidates, diff };
      return {
        tune,
        print: () => printMarked(promptTuneLines(report)),
        markdown: async () => (await import('../output/prompt-tune-markdown.js')).promptTuneMarkdown(report),
      };
    },
  ),
};
