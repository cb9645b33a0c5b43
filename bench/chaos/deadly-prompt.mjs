// Preloaded into a worker: a process that is about to send a request with this text dies, as it would of a bug that
// one input triggers.
const stringify = JSON.stringify;
JSON.stringify = (value, ...more) => {
  const text = stringify(value, ...more);
  if (Array.isArray(value) && text.includes(process.env.DEADLY_PROMPT)) process.kill(process.pid, 'SIGKILL');
  return text;
};
