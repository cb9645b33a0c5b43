import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Lane, LaneWaiting } from '#lib/contracts/lane';
import { examples, listByDefault, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findNamed } from '../lookup/find-named.js';
import { printList, readAll } from '../lookup/read-list.js';
import { laneTable, stateOfLane, waitingLines } from '../output/lane-table.js';
import { print, printJson } from '../output/terminal.js';

const ROUTE = '/api/lanes';

export function addLanes(program: Command): void {
  const list = serverAction<GlobalOptions>(listLanes);
  const lanes = subcommand(program, 'lanes', 'list lanes, show who waits on one, pause and resume it');
  listByDefault(lanes, list).addHelpText(...examples('toolmark lanes'));
  subcommand(lanes, 'list', 'list lanes by name')
    .action(list)
    .addHelpText(...examples('toolmark lanes list'));
  const one = (name: string, description: string): Command =>
    subcommand(lanes, name, description).argument('<lane>', 'name, id or id prefix of a lane');
  one('show', 'show a lane, and the jobs and people that wait on it')
    .action(serverAction<GlobalOptions, [string]>(showLane))
    .addHelpText(...examples('toolmark lanes show LANE'));
  one('pause', 'send no new requests on a lane; those under way end as usual')
    .action(serverAction<GlobalOptions, [string]>((...given) => pauseLane('pause', ...given)))
    .addHelpText(...examples('toolmark lanes pause LANE'));
  one('resume', 'send the waiting requests of a lane')
    .action(serverAction<GlobalOptions, [string]>((...given) => pauseLane('resume', ...given)))
    .addHelpText(...examples('toolmark lanes resume LANE'));
}

const findLane = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Lane>(client, wanted, {
    what: 'lane',
    path: ROUTE,
    describe: ({ name, providers }) => `${name}, of ${providers.join(', ') || 'no provider'}`,
  });

async function listLanes(client: ApiClient, options: GlobalOptions): Promise<void> {
  printList({ items: await readAll<Lane>(client, ROUTE) }, options, 'No lanes yet. Each provider has one.', laneTable);
}

async function showLane(client: ApiClient, { json }: GlobalOptions, wanted: string): Promise<void> {
  const id = await findLane(client, wanted);
  const waiting = await client.call<LaneWaiting>('GET', `${ROUTE}/${id}/waiting`);
  const lane = (await readAll<Lane>(client, ROUTE)).find((each) => each.id === id);
  if (json) printJson({ ...lane, who: waiting });
  else print(...(lane ? [...laneTable([lane]), ''] : []), ...waitingLines(waiting));
}

async function pauseLane(
  what: 'pause' | 'resume',
  client: ApiClient,
  { json }: GlobalOptions,
  wanted: string,
): Promise<void> {
  const lane = await client.call<Lane>('POST', `${ROUTE}/${await findLane(client, wanted)}/${what}`);
  if (json) printJson(lane);
  else print(`${lane.name}: ${stateOfLane(lane)}.`);
}
