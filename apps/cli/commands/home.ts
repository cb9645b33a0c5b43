import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Home, HomeSuite } from '#lib/contracts/home';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { difference, dollars, percent, table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';

export function addHome(program: Command): void {
  const home = subcommand(program, 'home', 'show what needs somebody, what is under way, and how the suites went')
    .alias('status')
    .action(serverAction<GlobalOptions>(printHome));
  home.addHelpText(...examples('toolmark home', 'toolmark home --json'));
}

async function printHome(client: ApiClient, { json }: GlobalOptions): Promise<void> {
  const home = await client.call<Home>('GET', '/api/home');
  if (json) return printJson(home);
  const { concerns, under_way: jobs, suites, more_suites: more, month } = home;
  print(...(concerns.length > 0 ? concerns.map(({ text }) => text) : ['Nothing needs anybody.']), '');
  for (const { id, type, name, status, progress } of jobs)
    print(`${status}: ${name ?? type}, ${progress.done}/${progress.total} (job ${id})`);
  if (jobs.length > 0) print('');
  if (suites.length > 0) print(...suiteTable(suites), '');
  if (more > 0) print(`${more} more: toolmark suites`, '');
  const cap = month.monthly_cap_usd === null ? '' : ` of the cap of ${dollars(month.monthly_cap_usd)}`;
  print(`${dollars(month.spent_usd)}${cap} is spent in ${month.month}.`);
}

const suiteTable = (suites: readonly HomeSuite[]): string[] =>
  table([
    ['suite', 'best', 'score', 'against', 'cost', 'last run'],
    ...suites.map(({ suite, last_run: last, measured, best }) => {
      const against = measured?.against ? difference(measured.against.difference, null) : '-';
      return [suite.name, bestText(best), percent(best?.score ?? null), against, costText(last), last?.id ?? '-'];
    }),
  ]);

const bestText = (best: HomeSuite['best']): string =>
  best === null ? '-' : best.targets.length === 1 ? best.targets[0]! : `${best.targets.length} tie`;

const costText = (last: HomeSuite['last_run']): string =>
  last?.simulated ? 'no cost' : dollars(last?.cost_usd ?? null);
