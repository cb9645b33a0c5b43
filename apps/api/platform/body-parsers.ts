import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { decodeText, TextReader } from '#lib/contracts/input/decode-text';
import { parseJson, unwrapNumbers } from '#lib/contracts/json/json';
import { bodyBoundOf } from './body-bounds.js';
import type { BytesInHand } from './bytes-in-hand.js';
import { charsetOf, contentTypeOf } from './content-type.js';
import { routeOptions, type CallerRequest } from './decorators.js';
import { LargeJson, type LargeBodyReader } from './large-bodies.js';
import { readJson } from './read-json.js';
import { chunksOf, MAX_BODY_BYTES, SMALL_BYTES, Upload, type UploadBounds } from './upload.js';

/** Larger JSON bodies are parsed in a thread. A hostile one of this size costs 40 ms. */
const LIGHT_BYTES = 64 * 1024;
/** A slower JSON body would keep its slot from others. */
const JSON_BOUNDS = { totalMs: 120_000, idleMs: 10_000 };
/** Owner of bodies sent without a token. */
const NOBODY = '';

interface BodyParserOptions {
  inHand: BytesInHand;
  reader?: LargeBodyReader;
  jsonBounds?: Omit<UploadBounds, 'bytes'>;
}

/** Parses bodies: JSON as a whole, and files in chunks, on routes with `@TakesFile`. */
export function addBodyParsers(
  fastify: FastifyInstance,
  { inHand, reader, jsonBounds = JSON_BOUNDS }: BodyParserOptions,
): void {
  const held = new WeakMap<FastifyRequest, () => void>();
  const take = async (request: CallerRequest, bytes: number): Promise<void> =>
    void held.set(request, await inHand.take(request.caller?.teamId ?? NOBODY, bytes));
  const giveBack = async (request: FastifyRequest): Promise<void> => held.get(request)?.();
  fastify.addHook('onSend', giveBack);
  fastify.addHook('onResponse', giveBack);

  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', async (request: CallerRequest, payload: Readable) => {
    if (request.is404) return undefined;
    const bound = bodyBoundOf(request);
    await take(request, declaredBytes(request) ?? bound);
    const bytes = await bytesOf(payload, { ...jsonBounds, bytes: bound }, declaredBytes(request));
    return bytes.length > LIGHT_BYTES && reader && request.caller
      ? readLarge(request, bytes, reader)
      : readLight(request, bytes);
  });
  fastify.addContentTypeParser('*', async (request: CallerRequest, payload: Readable) => {
    if (request.is404) return undefined;
    const { file } = routeOptions(request);
    const type = contentTypeOf(request);
    if (!file?.types.includes(type)) throw new UnsupportedMediaTypeException();
    const text = new TextReader({
      name: 'The body',
      charset: charsetOf(request),
      declareAs: (charset) => `send it with "Content-Type: ${type}; charset=${charset}"`,
    });
    // A larger file is never in memory as a whole.
    await take(request, Math.min(declaredBytes(request) ?? file.bounds.bytes, wholeBytesOf(file.bounds.bytes)));
    const upload = new Upload(payload, request.headers['content-length'], file.bounds, text);
    const isIdentified = file.identifiedBy === 'length' || request.headers['idempotency-key'] === undefined;
    return isIdentified ? upload : upload.text();
  });
  fastify.addHook('onResponse', async ({ body }) => {
    if (body instanceof Upload) body.release();
  });
}

function declaredBytes({ headers }: FastifyRequest): number | undefined {
  const declared = headers['content-length'];
  return declared === undefined ? undefined : Number(declared);
}

const wholeBytesOf = (bound: number): number => (bound > MAX_BODY_BYTES ? SMALL_BYTES : bound);

/**
 * All bytes of a body in one buffer. Many chunks would fragment the memory of the process, which keeps it from
 * shrinking, and a chunk of one byte takes a hundred.
 */
async function bytesOf(body: Readable, bounds: UploadBounds, declared = LIGHT_BYTES): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = Buffer.allocUnsafeSlow(Math.min(declared, bounds.bytes));
  let size = 0;
  for await (const chunk of chunksOf(body, bounds)) {
    if (size + chunk.length > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(bounds.bytes, 2 * bytes.length + chunk.length));
      bytes.copy(larger, 0, 0, size);
      bytes = larger;
    }
    size += chunk.copy(bytes, size);
  }
  return bytes.subarray(0, size);
}

function readLight(request: FastifyRequest, bytes: Uint8Array): unknown {
  const value = readJson(decodeText(bytes, { name: 'The body', isUtf8: true, charset: charsetOf(request) }));
  return routeOptions(request).file ? value : unwrapNumbers(value);
}

/** Parses and checks the body in a thread. Its result matches the schema, which bounds the remaining work here. */
async function readLarge(
  request: CallerRequest,
  bytes: Uint8Array<ArrayBuffer>,
  reader: LargeBodyReader,
): Promise<unknown> {
  const { file, json } = routeOptions(request);
  const { text, entries } = await reader.readBody(request.caller!.teamId, {
    bytes,
    charset: charsetOf(request),
    maxValues: Math.floor(bodyBoundOf(request) / BYTES_OF_VALUE),
    keepsNumbers: file !== undefined,
    schema: json?.schema,
    entriesOf: json?.entriesOf,
  });
  if (text === undefined) return undefined;
  return json?.isReadByRoute || entries ? new LargeJson(text, entries) : parseJson(text);
}

/** The minimum average size of a value in a large body. */
const BYTES_OF_VALUE = 16;
