const STEP = 1024;
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "512 bytes", "2.2 MiB". */
export function bytesInWords(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= STEP && unit < UNITS.length - 1) {
    size /= STEP;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
