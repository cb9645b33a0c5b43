// Preloaded into a process: an error that nothing catches, at a word. (SIGUSR2 and SIGHUP end processes of Nest in
// order.)
process.on('SIGWINCH', () => {
  throw new Error('thrown where nothing catches it');
});
process.on('SIGURG', () => {
  void Promise.reject(new Error('rejected where nobody waits for it'));
});
