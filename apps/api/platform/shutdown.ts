import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#lib/runtime/logger';
import { LOGGER } from './stores.js';

/** Load balancers check readiness every few seconds. */
const KEEP_SERVING_MS = 5000;
/**
 * A kept connection is closed once it has been idle for this long. The client that had an answer a moment ago may be
 * sending its next request already.
 */
const IDLE_MS = 2000;
/**
 * How long requests in progress may take after that. The total stays below the half minute after which an orchestrator
 * kills a process.
 */
const BREAK_OFF_AFTER_MS = 20_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Graceful shutdown of the API. After SIGTERM it reports not ready, serves until load balancers have noticed, then
 * closes its port and its sockets, and lets requests in progress finish. On SIGINT, or on a second signal, it waits
 * only for short requests.
 */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  #isReady = true;
  #closing: Promise<void> | undefined;
  readonly #longAnswers = new AbortController();
  #breakingOff: NodeJS.Timeout | undefined;
  #keptOneAt = -Infinity;

  constructor(
    @Inject(LOGGER) readonly logger: Logger,
    readonly adapterHost: HttpAdapterHost,
  ) {}

  /** False as soon as the process wants no more connections. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Aborts when the API stops waiting for clients that read long answers. */
  get longAnswers(): AbortSignal {
    return this.#longAnswers.signal;
  }

  stopBeingReady(): void {
    this.#isReady = false;
    // Also for answers that end after the port is closed.
    if (this.#server) this.#server.keepAliveTimeout = IDLE_MS;
  }

  /** An answer that began before the stop, and so did not say `Connection: close`, has ended. */
  keptConnection(): void {
    this.#keptOneAt = performance.now();
  }

  /**
   * Starts the shutdown, once, and resolves when it is time to close connections. Nest runs the hooks of modules in an
   * order that follows their imports: a module that closes something in `beforeApplicationShutdown` waits for this
   * first.
   */
  untilClosing(signal?: string): Promise<void> {
    return (this.#closing ??= this.#keepServing(signal));
  }

  beforeApplicationShutdown(signal?: string): Promise<void> {
    return this.untilClosing(signal);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#breakingOff);
  }

  async #keepServing(signal?: string): Promise<void> {
    this.stopBeingReady();
    this.logger.info({ signal }, signal === 'SIGTERM' ? 'No longer ready; serving for a few more seconds' : 'Stopping');
    const hurry = signal !== 'SIGTERM' || (await secondSignal(KEEP_SERVING_MS));
    if (hurry) this.#longAnswers.abort();
    this.#breakingOff = setTimeout(() => this.#breakOff(), BREAK_OFF_AFTER_MS).unref();
    // Closing the port closes idle connections. Each can be kept once, so this ends.
    while (!hurry && performance.now() - this.#keptOneAt < IDLE_MS) await delay(100);
    this.logger.info({ hurry }, 'Closing');
  }

  #breakOff(): void {
    this.logger.warn('Requests were still under way and are broken off');
    this.#longAnswers.abort();
    this.#server?.closeAllConnections();
  }

  get #server(): Server | undefined {
    return this.adapterHost.httpAdapter?.getHttpServer() as Server | undefined;
  }
}

/** Whether a signal arrives within this time; resolves as soon as one does. */
function secondSignal(withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (came: boolean): void => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
      resolve(came);
    };
    const onSignal = (): void => end(true);
    const timer = setTimeout(() => end(false), withinMs);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  });
}

/**
 * Makes each connection of an API that is not ready close after its next answer, which says so: clients and load
 * balancers then send nothing more there, and reconnect elsewhere. No connection is closed unannounced while it is in
 * use, because its next request may be under way.
 */
export function closeConnections(fastify: FastifyInstance, shutdown: Shutdown): void {
  fastify.addHook('onSend', async (_request, reply) => {
    if (!shutdown.isReady) void reply.header('connection', 'close');
  });
  fastify.addHook('onResponse', async (_request, reply) => {
    if (!shutdown.isReady && reply.getHeader('connection') !== 'close') shutdown.keptConnection();
  });
}
