// Preloaded (node --import) into processes that must not outlive their parent. When their IPC channel closes, because
// the parent exited or was killed, they stop as on SIGTERM, or are killed if that takes too long.
if (process.channel) {
  process.channel.unref();
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
}
