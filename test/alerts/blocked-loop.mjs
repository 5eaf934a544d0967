// Loaded into a daemon before it starts: from one SIGUSR2 to the next its event loop is held up
// twice a second for longer than the alert bears, and for less than a scrape waits.
const EVERY_MS = 500;
const HELD_MS = 300;

let timer;

process.on('SIGUSR2', () => {
  if (timer !== undefined) {
    clearInterval(timer);
    timer = undefined;
    return;
  }
  timer = setInterval(() => {
    const untilMs = performance.now() + HELD_MS;
    while (performance.now() < untilMs);
  }, EVERY_MS);
});
