import { z } from 'zod';
import { Job } from './job.js';
import { JobStatus } from './job-status.js';
import { named } from './named.js';
import { id, time } from './page.js';
import { RunAgainst, RunTop } from './run.js';
import { Spending } from './settings.js';
import { TrendPoint } from './trend.js';
import { CONCERNS, FIRST_STEP_IDS } from './values/home.js';

const reference = z.object({ id: id.describe('Its id.'), name: z.string().describe('Its name.') });
const run = z.object({ id: id.describe('Its id.'), name: z.string().nullable().describe('Its name; null for none.') });

export const Concern = named('Concern', 'Something that needs somebody.', {
  kind: z
    .enum(CONCERNS)
    .describe(
      '`worse`: the newest completed run of a suite is worse than what it is compared with. `gate`: the last answer ' +
        'of a gate is `fail` or `inconclusive`. `lane`: requests wait, and none is sent. `redis`: it is unreachable.',
    ),
  text: z.string().describe('The same in a sentence.'),
  suite: reference.nullable().describe('The suite; null for lanes.'),
  since: run.nullable().describe('The first of the runs in a row that are worse; null unless it is `worse`.'),
  run: run.nullable().describe('The newest completed run, or the run that the gate measured; null for lanes.'),
  against: RunAgainst.nullable().describe('What the newest run changed; null unless it is `worse`.'),
  gate: reference.nullable().describe('The gate; null for anything else.'),
  result: z.enum(['fail', 'inconclusive']).nullable().describe('The answer of the gate; null for anything else.'),
  lane: reference.nullable().describe('The lane; null for anything else.'),
  state: z.enum(['paused', 'down', 'blocked']).nullable().describe('Why the lane sends nothing.'),
  waiting: z.int().describe('How many items wait for the lane; 0 for anything else.'),
});
export type Concern = z.infer<typeof Concern>;

export const HomeSuite = named('HomeSuite', 'A suite, and how it went.', {
  suite: z
    .object({
      id: id.describe('The id of the suite.'),
      name: z.string().describe('Its name.'),
      version: z.int().describe('Its version.'),
    })
    .describe('The suite.'),
  last_run: z
    .object({
      id: id.describe('The id of the run.'),
      name: z.string().nullable().describe('Its name; null for none.'),
      status: JobStatus,
      created_at: time.describe('When it was submitted.'),
      finished_at: time.nullable().describe('When it ended; null until then.'),
      cost_usd: z.number().nullable().describe('What it cost, in US dollars; null while unknown, or without prices.'),
      simulated: z.boolean().describe('Whether all its models are those of the simulator, which cost nothing.'),
    })
    .nullable()
    .describe('The newest run; null before the first.'),
  best: z
    .object(RunTop.shape)
    .nullable()
    .describe('The best models of the newest completed run; several tie. Null without one.'),
  measured: run
    .extend({ against: RunAgainst.nullable().describe('What it changed; null while that is not known.') })
    .nullable()
    .describe('The newest completed run, which may be the last one; null without one.'),
  points: z.array(TrendPoint).describe('Its newest completed runs, the oldest first.'),
});
export type HomeSuite = z.infer<typeof HomeSuite>;

export const Home = named('Home', 'What goes on in a team, in one answer.', {
  concerns: z.array(Concern).describe('What needs somebody, at most 50.'),
  as_good: z.int().describe('How many of the suites are as good as what they are compared with, or better.'),
  under_way: z
    .array(Job.extend({ name: z.string().nullable().describe('The name of its run, or that of the suite.') }))
    .describe('Unfinished jobs in the order in which they run, maximum 20.'),
  suites: z.array(HomeSuite).describe('The suites that ran last, at most 12.'),
  more_suites: z.int().describe('How many more suites there are.'),
  month: Spending.describe('What the team has spent this month.'),
  first_steps: z
    .object({
      hidden: z.boolean().describe('Whether you have put them away.'),
      items: z
        .array(
          z.object({
            id: z.enum(FIRST_STEP_IDS).describe('The step.'),
            done: z.boolean().describe('Whether the team has done it.'),
          }),
        )
        .describe('The steps, in order.'),
    })
    .describe('What a new team does first.'),
});
export type Home = z.infer<typeof Home>;
