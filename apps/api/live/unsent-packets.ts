import type { Socket } from 'socket.io';

type EngineConnection = Socket['conn'];

/**
 * Packets that were queued for a connection and that its client has not read yet, counted from engine.io's own events.
 */
export class UnsentPackets {
  #packets = 0;
  #bytes = 0;
  /** Bytes of the packets that the transport took last. */
  #inTransport = 0;

  constructor(readonly connection: EngineConnection) {
    connection.on('packetCreate', ({ data }: { data?: string | Buffer }) => {
      this.#packets++;
      this.#bytes += data?.length ?? 0;
    });
    // engine.io hands all waiting packets to the transport at once, then emits 'drain'.
    connection.on('drain', () => {
      this.#inTransport = this.#bytes;
      this.#packets = 0;
      this.#bytes = 0;
    });
  }

  /** Packets that wait behind those in the transport. */
  get waiting(): number {
    return this.#packets;
  }

  get bytes(): number {
    return this.#bytes + (this.connection.transport.writable ? 0 : this.#inTransport);
  }
}
