import type { ApiClient } from '#lib/client/api-client';
import type { Gate } from '#lib/gate/contract';
import type { Page } from '#lib/contracts/page';
import { findNamed } from './find-named.js';
import { isWholeId } from './ids.js';

/** The id of a gate by its name, its id or an id prefix. */
export async function findGate(client: ApiClient, wanted: string): Promise<string> {
  if (!isWholeId(wanted)) {
    const { items }: Page<Gate> = await client.page(`/api/gates?${new URLSearchParams({ name: wanted })}`);
    if (items.length === 1) return items[0]!.id;
  }
  return findNamed<Gate>(client, wanted, {
    what: 'gate',
    path: '/api/gates',
    describe: ({ name, version, suite_name: suite }) => `${name} v${version}, over ${suite ?? 'a deleted suite'}`,
  });
}
