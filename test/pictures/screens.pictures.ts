// A private system: the pictures show only the operator's team.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { weatherSuite } from '../client.js';
import { readyForPromptTunes } from '../prompt-tune-system.js';
import { fillTeam, screensOf, untilTuned } from '../web-screens.js';
import { journeys, startWeb, type OpenOptions, type WebSystem } from '../web.js';
import { aTeamOfModels } from './team-of-models.js';

const FOLDER = 'docs/pictures';
/** Screens that another picture shows as well. */
const NOT_IN_THE_TOUR = new Set([
  'not found',
  'tunes of prompts',
  'new run with a prompt version',
  'tools of a suite',
  'settings of a suite',
  'versions of a suite',
  'login of a command line',
  'sign-in',
  'invitation',
]);
/** The folder for pictures of all screens in both themes and at both widths, for review. */
const REVIEW = process.env.TOOLMARK_REVIEW_PICTURES;
const REVIEWED: [string, OpenOptions][] = [
  ['light', {}],
  ['dark', { theme: 'dark' }],
  ['light-360', { width: 360, height: 740 }],
  ['dark-360', { theme: 'dark', width: 360, height: 740 }],
];

journeys('pictures', () => {
  it(
    'are taken of every screen',
    async () => {
      const web = await startWeb();
      const screens = screensOf({
        ...(await fillTeam(web)),
        ...(await aTeamOfModels(web)),
        ...{ tuneId: await aTune(web), ...(await aPromptTune(web)) },
      });
      const take = async (path: string, file: string, options: OpenOptions, fullPage: boolean): Promise<void> => {
        const { page, context } = await web.open({ width: 1200, ...options, path });
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        await page.screenshot({ path: file, fullPage, animations: 'disabled' });
        await context.close();
      };
      for (const [name, path] of screens) {
        if (!REVIEW && NOT_IN_THE_TOUR.has(name)) continue;
        const file = `${name.toLowerCase().replaceAll(' ', '-')}`;
        if (!REVIEW) await take(path, join(FOLDER, `${file}.png`), { height: 750 }, false);
        else
          for (const [view, options] of REVIEWED) {
            mkdirSync(REVIEW, { recursive: true });
            await take(path, join(REVIEW, `${file}-${view}.png`), options, true);
          }
      }
    },
    10 * 60_000,
  );
});

/** A tune with enough cases to confirm its result. */
async function aTune({ client, simulator }: WebSystem): Promise<string> {
  await client.post('/api/providers', {
    key: 'local',
    name: 'A server of our own',
    base_url: `${simulator.url}/v1`,
    models: [{ id: 'param-sensitive', input_cost_per_mtok: 1, output_cost_per_mtok: 4 }],
  });
  const { body: imported } = await client.post('/api/tool-eval/import', { ...weatherSuite(60), name: 'Forecasts' });
  const { body: submitted } = await client.post('/api/tool-eval/param-tune', {
    suite_id: imported.suite_id,
    models: ['local::param-sensitive'],
    search_space: { temperature: { min: 0, max: 1, step: 0.1 }, tool_choice: ['auto', 'required'] },
    base: { temperature: 1, tool_choice: 'auto' },
  });
  await untilTuned(client, submitted.tune_id);
  return submitted.tune_id;
}

/** A prompt tune that confirms its result, and stores it as a version. */
async function aPromptTune(web: WebSystem): Promise<{ promptTuneId: string; promptId: string }> {
  const tunes = await readyForPromptTunes(web, ['assistant'], { key: 'small' });
  const { tune_id: promptTuneId, job_id } = await tunes.submit('assistant', { max_evals: 300 });
  await tunes.ended(job_id);
  return { promptTuneId, promptId: (await tunes.tune(promptTuneId)).prompt_version_id! };
}
