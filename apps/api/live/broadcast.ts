import { constants, deflateRawSync } from 'node:zlib';
import type { Server, ServerOptions, Socket } from 'socket.io';

/** Shorter ones are sent as they are. */
const SHORTEST_COMPRESSED = 2048;

/** What Socket.IO and ws know of a connection and do not say in their types. */
interface Transport {
  name: string;
  perMessageDeflate: unknown;
  socket?: { extensions: string };
}

/**
 * Lets `broadcast` compress: connections agree on permessage-deflate (RFC 7692) with nothing remembered from
 * message to message, so that one compressed message fits all of them. Nothing else is compressed: that would be
 * done for each connection anew.
 */
export const SHARED_COMPRESSION: Partial<ServerOptions> = {
  perMessageDeflate: {
    threshold: Number.MAX_SAFE_INTEGER,
    serverNoContextTakeover: true,
    clientNoContextTakeover: true,
  },
};

/** Without this, engine.io takes no frames that were made before from a server with compression. */
export function acceptSharedFrames(io: Server): void {
  io.engine.on(
    'connection',
    (connection: { transport: Transport; on(name: 'upgrade', listener: (transport: Transport) => void): void }) => {
      const accept = (transport: Transport): void => void (transport.perMessageDeflate = null);
      accept(connection.transport);
      connection.on('upgrade', accept);
    },
  );
}

/**
 * Sends events to all of these sockets: made into bytes once, and one write for each. A run with many watchers is
 * most of what the API sends, and what a write costs is mostly its being one.
 * @param onFailure called for each socket that did not take them; the others get them
 */
export function broadcast(
  sockets: Socket[],
  events: [name: string, message: unknown][],
  onFailure: (socket: Socket, error: Error) => void,
): void {
  if (events.length === 0) return;
  const texts = events.map((event) => `42${JSON.stringify(event)}`); // a message, an event of the default namespace
  const frames: Partial<Record<'plain' | 'compressed', Buffer>> = {};
  const send = (socket: Socket): void => {
    const transport = socket.conn.transport as unknown as Transport;
    if (transport.name !== 'websocket') {
      for (const [name, message] of events) socket.emit(name, message);
      return;
    }
    const how = transport.socket?.extensions.includes('permessage-deflate') ? 'compressed' : 'plain';
    const bytes = (frames[how] ??= Buffer.concat(
      texts.flatMap((text) => frame(text, how === 'compressed' && text.length >= SHORTEST_COMPRESSED)),
    ));
    const { client } = socket as unknown as { client: { writeToEngine(packets: string[], options: object): void } };
    client.writeToEngine([''], { preEncoded: true, wsPreEncodedFrame: [bytes] });
  };
  for (const socket of sockets) {
    try {
      send(socket);
    } catch (error) {
      onFailure(socket, error as Error);
    }
  }
}

/** A whole text message as one frame: header and payload. */
function frame(text: string, compressed: boolean): [Buffer, Buffer] {
  // What is compressed ends with an empty block, whose four bytes the receiver adds again.
  const payload = compressed
    ? deflateRawSync(text, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4)
    : Buffer.from(text);
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = compressed ? 0xc1 : 0x81;
  header[1] = header.length === 2 ? length : header.length === 4 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return [header, payload];
}
