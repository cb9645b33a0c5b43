import { randomUUID } from 'node:crypto';
import { ApiClient, pause, type CallOptions, type Method } from './api-client.js';

/** How long a request waits in all, and how often it is sent again. */
const [MOST_WAITS_S, MOST_REPEATS] = [120, 5];

/**
 * A client that waits as long as the server asks when it answers 429, and then sends the request again. A request that
 * creates something has an Idempotency-Key for that; one that only changes something, without a key, is not repeated.
 * When the server keeps no more keys for the user, the request goes without the one that was made up here.
 */
export class PatientClient extends ApiClient {
  /** @param onWait called with the seconds of each wait */
  constructor(
    serverUrl: string,
    token: string | undefined,
    readonly onWait: (seconds: number) => void,
  ) {
    super(serverUrl, token);
  }

  protected override async send(path: string, method: Method, body: unknown, given?: CallOptions): Promise<Response> {
    let options: CallOptions | undefined = method === 'POST' ? { idempotencyKey: randomUUID(), ...given } : given;
    let left = MOST_WAITS_S;
    for (let repeats = 0; ; repeats++) {
      const response = await super.send(path, method, body, options);
      if (response.status !== 429) return response;
      if (options?.idempotencyKey !== given?.idempotencyKey && (await isForKeys(response))) {
        await response.body?.cancel();
        options = given;
        continue;
      }
      const waits = Number(response.headers.get('retry-after') ?? NaN);
      const mayRepeat = method === 'GET' || options?.idempotencyKey !== undefined;
      if (!mayRepeat || repeats >= MOST_REPEATS || !(waits <= left)) return response;
      await response.body?.cancel();
      left -= waits;
      this.onWait(waits);
      await pause(waits * 1000, options?.signal);
    }
  }
}

/** Whether it is refused because of its Idempotency-Key. The response can still be read. */
const isForKeys = async (response: Response): Promise<boolean> =>
  (await response.clone().text()).includes('"too_many_keys"');
