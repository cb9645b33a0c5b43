/**
 * A large third-party JSON value, as text. Only threads parse it: the main thread stores it and passes it on unchanged.
 */
export class SerialisedJson {
  /**
   * @param bytes UTF-8
   * @param values the approximate number of values in it
   */
  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly values: number,
  ) {}
}
