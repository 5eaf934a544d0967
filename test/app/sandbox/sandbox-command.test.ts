import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  killDaemons,
  membersOf,
  startDaemon,
  untilGroupGone,
  type Daemon,
} from '../../crash/support/daemon.ts';
import { sampled } from '../../support/sampled.ts';
import { privateKeyToAccount } from 'viem/accounts';
import { BOT_KEY, STRANGERS, TRADER, type PrintedWorld } from './strangers.ts';

const BOT = privateKeyToAccount(BOT_KEY).address;
const SOLANA_WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const folders: string[] = [];

afterAll(async () => {
  await killDaemons();
  // The chains of a killed sandbox write their last state for a moment.
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-world-'));
  folders.push(folder);
  return folder;
}

const sandbox = (folder: string, ...words: readonly string[]): Daemon =>
  startDaemon(
    { PREDICTD_DATA: folder },
    { command: [process.execPath, resolve('dist/src/main.js'), 'sandbox', ...words] },
  );

describe('predictd sandbox', () => {
  let world: PrintedWorld;
  let running: Daemon;
  const folder = emptyFolder();

  beforeAll(async () => {
    running = sandbox(folder, '--json', '--fund', BOT, '--fund', SOLANA_WALLET);
    const [line = ''] = await running.saw(/^\{.*\}$/m);
    world = JSON.parse(line);
  });

  it('prints the addresses, keys and funded wallets as one line, and nothing beside it', () => {
    expect(running.printed().trimEnd().split('\n')).toHaveLength(1);
    expect(running.complained()).toBe('');
    expect(world).toMatchObject({
      speed: 1,
      sandbox: { control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/) },
      wallets: [
        { address: BOT, safe: expect.stringMatching(/^0x/) },
        { address: SOLANA_WALLET, safe: null },
      ],
    });
  });

  it("goes by the wall's clock", async () => {
    const beforeS = Math.floor(Date.now() / 1_000);
    const marketS = Number(
      await (await fetch(`${world.sandbox.venues.venue_a.clobRest}/time`)).text(),
    );
    expect([marketS >= beforeS, marketS <= Date.now() / 1_000]).toEqual([true, true]);
  });

  it.each([TRADER, ...sampled('strangers', STRANGERS, 2)])('%s', async (_, run) => run(world));

  it('takes a fault by name while it runs', async () => {
    const armed = await fetch(`${world.sandbox.control}/faults`, {
      method: 'POST',
      body: JSON.stringify({ name: 'feed-bad-gateway', times: 1 }),
    });
    expect(await armed.json()).toEqual({ name: 'feed-bad-gateway', armed: true });
  });

  it('gives its folder to no second one', async () => {
    const second = sandbox(folder);
    expect(await second.ended).toEqual({ code: 2, signal: null });
    expect(second.complained()).toContain('another process is using the data folder');
  });

  it('ends at Ctrl-C with 0, and all it has started with it', async () => {
    running.signal('SIGINT');
    expect(await running.ended).toEqual({ code: 0, signal: null });
    await untilGroupGone(running);
  });
});

describe('predictd sandbox is refused with 2 and one sentence, and starts nothing', () => {
  afterEach(killDaemons);

  it.each([
    [['--fund'], {}, /--fund is not understood; use: predictd sandbox /],
    [['--fund', '0x12'], {}, /--fund 0x12 is neither an EVM address/],
    [['--speed', '2'], {}, /--speed is not understood/],
    [[], { PREDICTD_PROFILE: 'live' }, /runs play money alone, and PREDICTD_PROFILE is live/],
  ])('for %j with %j', async (words, settings, sentence) => {
    const refused = startDaemon(
      { PREDICTD_DATA: emptyFolder(), ...settings },
      { command: [process.execPath, resolve('dist/src/main.js'), 'sandbox', ...words] },
    );
    expect(await refused.ended).toEqual({ code: 2, signal: null });
    expect(refused.complained()).toMatch(sentence);
    expect(membersOf(refused.pid)).toEqual([]);
  });
});
