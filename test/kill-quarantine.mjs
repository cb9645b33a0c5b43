// Preloaded into a worker: also kills the separate process for a suspect when it is about to send this prompt.
if (process.argv[1]?.includes('quarantine-main')) {
  const stringify = JSON.stringify;
  JSON.stringify = (value, ...more) => {
    const text = stringify(value, ...more);
    if (value?.role !== undefined && text.includes('deadly')) process.kill(process.pid, 'SIGKILL');
    return text;
  };
}
