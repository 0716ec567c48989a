// Preload: the clock of this process is off by CRASH_SHIFT_MS, at once or after it has been asked CRASH_SHIFT_AFTER times.
const shift = Number(process.env.CRASH_SHIFT_MS);
const after = Number(process.env.CRASH_SHIFT_AFTER ?? 0);
const RealDate = Date;
let asked = 0;

const now = () => RealDate.now() + (asked++ < after ? 0 : shift);

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }

  static now() {
    return now();
  }
};
