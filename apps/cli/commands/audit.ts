import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { AuditEntry, AuditQuery } from '#lib/contracts/audit';
import type { Member } from '#lib/contracts/people';
import type { Token } from '#lib/contracts/team';
import { examples, listByDefault, serverAction, subcommand, timeOf } from '../command.js';
import { findNamed, findTeam } from '../lookup/find-named.js';
import { addListOptions, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { auditTable } from '../output/audit-table.js';
import { writeOutput } from '../output/terminal.js';
import { queryOf } from '../query.js';
import { withInterruptionError, writeAtomically } from '../write-atomically.js';

const ROUTE = '/api/audit';

interface FilterOptions {
  team?: string;
  since?: string;
  until?: string;
  action?: string;
  user?: string;
  byToken?: string;
  subject?: string;
  address?: string;
  request?: string;
}

export function addAudit(program: Command): void {
  const list = serverAction<ListOptions & FilterOptions>(listEntries);
  const audit = subcommand(program, 'audit', 'list who changed what, and what was refused, newest first');
  listByDefault(addListOptions(addFilters(audit)), list).addHelpText(
    ...examples('toolmark audit --since 2026-11-01 --action provider.', 'toolmark audit --user owner --limit 10'),
  );
  addFilters(subcommand(audit, 'export', 'write all entries as JSON lines'))
    .option('--out <file>', 'file to write, which appears once it is complete (default: standard output)')
    .action(serverAction<FilterOptions & { out?: string }>(exportEntries))
    .addHelpText(...examples('toolmark audit export --since 2026-11-01 --out audit.jsonl'));
}

const addFilters = (command: Command): Command =>
  command
    .option('--team <team>', 'that of another team, by name or id; for owners of the team "default"')
    .option('--since <time>', 'only entries from then on, as 2026-11-01 or 2026-11-01T08:00:00Z', timeOf)
    .option('--until <time>', 'only entries before then', timeOf)
    .option('--action <action>', 'only this action, such as provider.update, or the beginning of some: provider.')
    .option('--user <user>', 'only what this user did, by name or id')
    .option('--by-token <token>', 'only what was done with this token, by name or id')
    .option('--subject <id>', 'only what was done to this: an id or a key')
    .option('--address <address>', 'only requests from this address')
    .option('--request <id>', 'only what the request with this x-request-id did');

/** Options of `toolmark audit` may come before `export`. */
async function filterOf(client: ApiClient, options: FilterOptions): Promise<URLSearchParams> {
  const { team, user, byToken, since, until, action, subject, address, request } = options;
  const filter = {
    team_id: team === undefined ? undefined : await findTeam(client, team),
    from: since,
    to: until,
    action,
    subject,
    address,
    request_id: request,
    user_id: user === undefined ? undefined : await findUser(client, user),
    token_id: byToken === undefined ? undefined : await findToken(client, byToken),
  } satisfies Partial<Record<keyof AuditQuery, string | undefined>>;
  return queryOf(filter);
}

const findUser = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Member>(client, wanted, {
    what: 'user',
    path: '/api/users',
    describe: ({ name, role }) => `${name}, ${role}`,
  });

const findToken = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Token>(client, wanted, {
    what: 'token',
    path: '/api/tokens',
    describe: ({ name, user }) => `${name}, of ${user}`,
  });

async function listEntries(client: ApiClient, options: ListOptions & FilterOptions): Promise<void> {
  const query = await filterOf(client, options);
  const list = await readList<AuditEntry>(client, `${ROUTE}?${query}`, options);
  printList(list, options, query.size > 0 ? 'No entries match.' : 'Nothing has been changed yet.', auditTable);
}

/** Written as it arrives: an audit may be larger than the memory. */
async function exportEntries(client: ApiClient, options: FilterOptions & { out?: string }): Promise<void> {
  const { out } = options;
  const entries = client.download(`${ROUTE}/export?${await filterOf(client, options)}`);
  if (out !== undefined)
    return writeAtomically(
      out,
      withInterruptionError(entries, `The export was interrupted, and ${out} was not written.`),
    );
  const interrupted = 'The export was interrupted: the printed output is incomplete.';
  for await (const piece of withInterruptionError(entries, interrupted)) writeOutput(piece);
}
