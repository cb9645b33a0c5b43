// Preloaded into a worker: kills a process that is about to send a request with this text, like a bug that one input
// triggers.
const stringify = JSON.stringify;
JSON.stringify = (value, ...more) => {
  const text = stringify(value, ...more);
  if (Array.isArray(value) && text.includes(process.env.DEADLY_PROMPT)) process.kill(process.pid, 'SIGKILL');
  return text;
};
