// Loaded into a daemon before it starts: from SIGUSR2 on its event loop is held up most of the
// time.
const HELD_MS = 400;

process.on('SIGUSR2', () => {
  setInterval(() => {
    const untilMs = performance.now() + HELD_MS;
    while (performance.now() < untilMs);
  }, 1);
});
