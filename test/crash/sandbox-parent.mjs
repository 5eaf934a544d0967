// Stands for the daemon in a crash test: starts the compiled sandbox process and tells where it is.
import { pathToFileURL } from 'node:url';

const [, , dist, folder, seed] = process.argv;
const { startWorldProcess } = await import(
  pathToFileURL(`${dist}/src/sandbox/world-process.js`).href
);
const nowMs = Date.now();
const world = await startWorldProcess(`${dist}/src/sandbox/main.js`, {
  clock: { anchorWallMs: nowMs, anchorMs: nowMs, scale: 1 },
  settings: {
    seed: Number(seed),
    dataDir: folder,
    credentials: {
      inferenceKey: 'UP-test',
      dataStreams: { key: 'k', secret: 's' },
      relayer: { key: 'k', secret: 's', passphrase: 'p' },
      pinningKey: 'p',
    },
  },
});
process.stdout.write(`${JSON.stringify({ urls: world.urls, pid: world.pid })}\n`);
process.on('SIGTERM', () => void world.stop().then(() => process.exit(0)));
