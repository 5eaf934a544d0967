// Loaded into a daemon before it starts: from SIGUSR2 on its event loop is held up once a second,
// for longer than the alert's 0.25 s and so that a scrape of a second still ends.
const HELD_MS = 400;
const EVERY_MS = 1_000;

process.on('SIGUSR2', () => {
  setInterval(() => {
    const untilMs = performance.now() + HELD_MS;
    while (performance.now() < untilMs);
  }, EVERY_MS);
});
