import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Quota, Quotas } from '#lib/contracts/quotas';
import { quotaFigure } from '#lib/contracts/values/quotas';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findTeam } from '../lookup/find-named.js';
import { percent, table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import { queryOf } from '../query.js';

export function addLimits(program: Command): void {
  subcommand(program, 'limits', 'show how much the team may have, and how much it has')
    .option('--team <team>', 'another team, by name or id, or "all"; for owners of the team "default"')
    .action(serverAction<LimitsOptions>(showLimits))
    .addHelpText(...examples('toolmark limits'));
}

type LimitsOptions = GlobalOptions & { team?: string };

async function showLimits(client: ApiClient, { json, team }: LimitsOptions): Promise<void> {
  const id = team === undefined || team === 'all' ? team : await findTeam(client, team);
  const limits = await client.call<Quotas>('GET', `/api/settings/quotas?${queryOf({ team_id: id })}`);
  if (json) return printJson(limits);
  print(...table([['limit', 'used', 'of', 'share'], ...limits.quotas.map(cellsOf)]));
  print('', 'An owner of the team "default" can raise them.');
}

const cellsOf = ({ name, used, limit }: Quota): string[] => [
  name,
  used === null ? '-' : quotaFigure(name, used),
  quotaFigure(name, limit),
  used === null || limit === 0 ? '-' : percent(used / limit),
];
