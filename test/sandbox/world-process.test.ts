import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorldProcess, type WorldProcess } from '../../src/sandbox/world-process.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';

/**
 * Children that behave as a world does when it fails; each is a module of its own, as a child
 * process has to be.
 */
const CHILDREN = {
  'dies before a word': 'process.exit(3);',
  'says why not':
    "process.on('message', () => process.send({ kind: 'failed', reason: 'the port is taken' }));",
  'never comes up': 'setInterval(() => undefined, 1_000);',
  'names its modules first':
    "process.send({ 'watch:import': ['file:///a/module.js'] }); process.on('message', ({ kind }) => (kind === 'start' ? process.send({ kind: 'ready', urls: { gamma: 'here' } }) : process.exit(0)));",
  'comes up and dies':
    "process.on('message', () => process.send({ kind: 'ready', urls: {} }, () => process.kill(process.pid, 'SIGKILL')));",
  'dies when asked to stop':
    "process.on('message', ({ kind }) => (kind === 'start' ? process.send({ kind: 'ready', urls: {} }) : process.kill(process.pid, 'SIGKILL')));",
  'hangs up when asked to stop':
    "process.on('message', ({ kind }) => { if (kind === 'start') process.send({ kind: 'ready', urls: {} }); else { process.disconnect(); process.exit(0); } });",
} as const;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-children-'));
  for (const [name, code] of Object.entries(CHILDREN))
    writeFileSync(join(folder, `${name}.mjs`), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(name: keyof typeof CHILDREN, ending?: AbortSignal): Promise<WorldProcess> {
  return startWorldProcess(
    join(folder, `${name}.mjs`),
    {
      clock: { anchorWallMs: 0, anchorMs: 0, scale: 1 },
      settings: { seed: 1, dataDir: null, credentials: WORLD_CREDENTIALS },
    },
    ending,
  );
}

describe('startWorldProcess', () => {
  it('says with what the child ended when it dies before a word', async () => {
    await expect(start('dies before a word')).rejects.toMatchObject({
      code: 'venue_unavailable',
      message: 'the sandbox did not start: it ended with 3',
    });
  });

  it('refuses, and breaks nothing, when there is no process to speak to', async () => {
    const { execPath } = process;
    process.execPath = join(folder, 'no-such-program');
    try {
      await expect(start('says why not')).rejects.toMatchObject({
        code: 'venue_unavailable',
        message: expect.stringContaining('ENOENT'),
      });
    } finally {
      process.execPath = execPath;
    }
  });

  it("passes the child's own reason on", async () => {
    await expect(start('says why not')).rejects.toThrow(
      'the sandbox did not start: the port is taken',
    );
  });

  it('passes over what Node says on the channel when it watches files', async () => {
    const world = await start('names its modules first');
    expect(world.urls).toEqual({ gamma: 'here' });
    await world.stop();
  });

  it('leaves no child behind when the start is called off', async () => {
    const ending = new AbortController();
    const starting = start('never comes up', ending.signal);
    ending.abort();
    await expect(starting).rejects.toThrow('the sandbox did not start: it was called off');
  });

  it('tells how a world ended that was not asked to, and has nothing left to stop', async () => {
    const world = await start('comes up and dies');
    expect(await world.ended).toBe('SIGKILL');
    await world.stop();
  });

  it('breaks nothing when a world is spoken to that has died unnoticed', async () => {
    const world = await start('comes up and dies');
    // The event loop is blocked meanwhile, so neither the end nor the broken channel has been
    // heard of.
    while (!isDead(world.pid));
    await world.stop();
    expect(await world.ended).toBe('SIGKILL');
  });

  it.each([
    ['dies when asked to stop', 'SIGKILL'],
    ['hangs up when asked to stop', 0],
  ] as const)('takes any end for the end of a world that %s', async (name, how) => {
    const world = await start(name);
    await world.stop();
    expect(await world.ended).toBe(how);
  });
});

/** A dead child stays listed, in state Z, until its parent collects it (proc(5)). */
function isDead(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}
