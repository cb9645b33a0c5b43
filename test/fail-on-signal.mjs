// Preloaded into a process: throws an uncaught error on a signal. (On SIGUSR2 and SIGHUP, Nest shuts down gracefully.)
process.on('SIGWINCH', () => {
  throw new Error('thrown where nothing catches it');
});
process.on('SIGURG', () => {
  void Promise.reject(new Error('rejected where nobody waits for it'));
});
