// Preloaded into a worker: the process in which it plays an item that others died of dies, too, when it is about to
// ask this.
if (process.argv[1]?.includes('quarantine-main')) {
  const stringify = JSON.stringify;
  JSON.stringify = (value, ...more) => {
    const text = stringify(value, ...more);
    if (Array.isArray(value) && text.includes('deadly')) process.kill(process.pid, 'SIGKILL');
    return text;
  };
}
