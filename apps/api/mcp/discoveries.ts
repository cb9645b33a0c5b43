import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ProblemError } from '#lib/contracts/input/problem';
import type { McpDiscoverInput } from '#lib/contracts/mcp';
import { egressOf } from '#lib/egress/egress';
import type { DiscoveredServer, DiscoverTask } from '#lib/mcp/discover-tools';
import type { Env } from '#lib/runtime/env';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { threadModule } from '#lib/runtime/threads/thread-entry';
import { ThreadLimitExceeded, ThreadPool } from '#lib/runtime/threads/thread-pool';
import { ENV } from '../platform/stores.js';

/** A user waits for it. */
const TIMEOUT_MS = 30_000;
/** A team uses at most two of the threads. */
const LIMITS = { threads: 3, cpuMs: 5000, wallMs: TIMEOUT_MS + 5000, heapMb: 128 };
const AT_ONCE_PER_TEAM = 2;
const MAX_WAITING = 4;

/**
 * Lists the tools of MCP servers in threads, so that parsing a server's response blocks no other request, and a hostile
 * server can at most end its own thread.
 */
@Injectable()
export class Discoveries implements OnApplicationShutdown {
  readonly #threads = new ThreadPool<DiscoverTask, string>(threadModule('apps/api/mcp/discovery-thread'), LIMITS);
  readonly #turns = new KeyedSemaphore(
    AT_ONCE_PER_TEAM,
    MAX_WAITING,
    `Your team is querying ${AT_ONCE_PER_TEAM} MCP servers, and ${MAX_WAITING} more are queued. Try again in 30 s.`,
  );

  constructor(@Inject(ENV) readonly env: Env) {}

  /** @throws ProblemError 422 when the server cannot be read, 429 when too many requests of the team are waiting */
  async read(teamId: string, server: McpDiscoverInput): Promise<DiscoveredServer> {
    const { url, headers, transport } = server;
    const options = { egress: egressOf(this.env), timeoutMs: TIMEOUT_MS };
    const task: DiscoverTask = { server: { url, headers, transport }, options };
    try {
      const read = await this.#turns.run(teamId, () => this.#threads.run(task, teamId));
      return JSON.parse(read) as DiscoveredServer;
    } catch (error) {
      throw error instanceof ThreadLimitExceeded ? tooMuchWork(url, error) : error;
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.#threads.close();
  }
}

function tooMuchWork(url: string, { message }: ThreadLimitExceeded): ProblemError {
  const detail =
    `Reading the tools of ${new URL(url).host} takes too much work. ${message} Let the server list fewer or smaller ` +
    'tools, or paste the list of tools instead.';
  return new ProblemError(422, detail, [{ path: '/url', message: detail }]).as('mcp_unreadable');
}
