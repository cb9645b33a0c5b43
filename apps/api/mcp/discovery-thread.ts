import { discoverTools, type DiscoverTask } from '#lib/mcp/discover-tools';
import { serveTasks } from '#lib/runtime/threads/thread-entry';

/** Answers with a `DiscoveredServer` as JSON. */
serveTasks(async ({ server, options }: DiscoverTask) => JSON.stringify(await discoverTools(server, options)));
