import { serveTasks } from '#lib/runtime/threads/thread-entry';
import { discoverTools, type DiscoverTask } from './discover-tools.js';

/** Answers with a `DiscoveredServer` as JSON. */
serveTasks(async ({ server, options }: DiscoverTask) => JSON.stringify(await discoverTools(server, options)));
