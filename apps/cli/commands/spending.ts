import { InvalidArgumentError, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { Spending } from '#lib/contracts/settings';
import type { SpendingBy, SpendingGroup, SpendingReport } from '#lib/contracts/spending';
import { commaSeparated, examples, serverAction, repeatable, subcommand, type GlobalOptions } from '../command.js';
import { NegativeAnswer } from '../exit-codes.js';
import { isWholeId, matchByName } from '../lookup/match.js';
import { spendingTable } from '../output/spending-table.js';
import { dollars } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import { SPENDING_BY } from '#lib/contracts/values/jobs';
import { queryOf } from '../query.js';

interface SpendingOptions extends GlobalOptions {
  by: SpendingBy[];
  from?: string;
  to?: string;
  model?: string[];
  provider?: string[];
  suite?: string;
  person?: string;
}

export function addSpending(program: Command): void {
  const spending = subcommand(program, 'spending', 'show what the team has spent, and on what')
    .option('--by <list>', `how to group it: ${SPENDING_BY.join(', ')}, separated by commas`, readBy, ['day'])
    .option('--from <day>', 'first day (UTC), as YYYY-MM-DD (default: the first of this month)')
    .option('--to <day>', 'last day (default: today)')
    .option('--model <model>', 'only this model, repeatable', repeatable(String))
    .option('--provider <key>', 'only this provider, repeatable', repeatable(String))
    .option('--suite <suite>', 'only this suite, by name or id; it may be deleted')
    .option('--person <person>', 'only what this person submitted, by name or id')
    .action(serverAction<SpendingOptions>(printSpending));
  spending.addHelpText(
    ...examples(
      'toolmark spending',
      'toolmark spending --by model,person --from 2026-11-01 --to 2026-11-30',
      'toolmark spending --by day,suite',
      'toolmark spending --by provider',
    ),
  );
}

function readBy(text: string): SpendingBy[] {
  const words = commaSeparated(text) as SpendingBy[];
  if (words.every((word) => SPENDING_BY.includes(word))) return words;
  throw new InvalidArgumentError(`Expected ${SPENDING_BY.join(', ')}, separated by commas.`);
}

async function printSpending(client: ApiClient, options: SpendingOptions): Promise<void> {
  const { by, from, to, model = [], provider = [] } = options;
  const span = { from, to };
  const query = queryOf({
    ...span,
    suite_id: options.suite ? await spenderId(client, 'suite', options.suite, span) : undefined,
    person: options.person ? await spenderId(client, 'person', options.person, span) : undefined,
    by: by.join(),
  });
  for (const one of model) query.append('model', one);
  for (const one of provider) query.append('provider', one);
  const report = await client.call<SpendingReport>('GET', `/api/spending?${query}`);
  if (options.json) return printJson(report);
  const { items, total } = report;
  print(`From ${report.from} to ${report.to} (UTC):`);
  print(...(items.length ? spendingTable(report.by, items, total) : ['No requests in this period.']));
  print(...capLines(await client.call<Spending>('GET', '/api/settings/spending')));
}

const capLines = ({ monthly_cap_usd: cap, spent_usd: spent, month }: Spending): string[] =>
  cap === null ? [] : ['', `${dollars(spent)} of the monthly cap of ${dollars(cap)} is spent in ${month}.`];

/**
 * The id of a suite or person by name, id or id prefix, among those with spending: a deleted suite is in no other list.
 */
async function spenderId(
  client: ApiClient,
  by: 'suite' | 'person',
  wanted: string,
  span: { from: string | undefined; to: string | undefined },
): Promise<string> {
  if (isWholeId(wanted)) return wanted;
  const { items } = await client.call<SpendingReport>('GET', `/api/spending?${queryOf({ ...span, by })}`);
  const spenders = items.flatMap((item: SpendingGroup) => {
    const { id, name } = item[by] ?? {};
    return id === undefined ? [] : [{ id, name: name ?? id }];
  });
  const found = matchByName(spenders, wanted);
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1) {
    const each = found.map(({ id, name }) => `${id} (${name})`);
    throw new NegativeAnswer(`"${wanted}" matches ${found.length}. Give the id of one:`, each);
  }
  const nearest = suggestNames(
    wanted,
    spenders.map(({ name }) => name),
    'those with spending',
  );
  throw new NegativeAnswer(`No ${by} with the name or id "${wanted}" has spending in this period. ${nearest}`);
}
