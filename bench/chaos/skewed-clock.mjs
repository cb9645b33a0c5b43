// Preloaded into a process: skews its clock by CLOCK_SKEW_MS.
const skewMs = Number(process.env.CLOCK_SKEW_MS);
const TrueDate = Date;
globalThis.Date = class extends TrueDate {
  constructor(...args) {
    super(...(args.length ? args : [TrueDate.now() + skewMs]));
  }
  static now() {
    return TrueDate.now() + skewMs;
  }
};
