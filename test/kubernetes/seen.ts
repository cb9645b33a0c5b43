/** Writes what was seen, with the seconds since the line before, as text for docs/kubernetes.md. */
export function seen(): (text: string) => void {
  let before = Date.now();
  return (text) => {
    process.stderr.write(`  ${((Date.now() - before) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);
    before = Date.now();
  };
}
