/** A large JSON value of somebody else, printed. Only threads parse it: here it is stored and passed on as it is. */
export class PrintedJson {
  /**
   * @param bytes UTF-8
   * @param values about how many values it holds
   */
  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly values: number,
  ) {}
}
