// Preloaded (node --import) into processes that must not outlive their parent. When the channel to it closes, because
// it ended or was killed, they stop as on SIGTERM, and if that takes too long, at once.
if (process.channel) {
  process.channel.unref();
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
}
