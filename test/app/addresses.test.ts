import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runningAddresses } from '../../src/app/addresses.ts';
import { killDaemons, startDaemon, type Daemon } from '../crash/support/daemon.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-addresses-'));
});
afterEach(async () => {
  await killDaemons();
  // The chains of a killed sandbox write their last state for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

const asked = (...words: readonly string[]): Daemon =>
  startDaemon(
    { PREDICTD_DATA: folder, PREDICTD_SANDBOX_SPEED: '1' },
    { command: [process.execPath, resolve('dist/src/main.js'), ...words] },
  );
/** What of the addresses is read here. */
interface PrintedAddresses {
  readonly api: string;
  readonly sandbox: {
    readonly venues: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
const kept = (): unknown => JSON.parse(readFileSync(join(folder, 'addresses.json'), 'utf8'));

describe('the addresses of a sandbox', () => {
  it('are printed as JSON by a start that was asked for them, kept in the data folder while it runs, and asked of it meanwhile', async () => {
    const daemon = asked('--addresses');
    const [line = ''] = await daemon.saw(/^\{.*\}$/m);
    const addresses: PrintedAddresses = JSON.parse(line);
    expect(addresses).toMatchObject({
      profile: 'sandbox',
      pid: daemon.pid,
      speed: 1,
      socket: expect.stringMatching(/^ws:.*\/ws$/),
    });
    expect((await fetch(`${addresses.api}/healthz`)).status).toBe(200);
    // Speed 1 is the wall clock.
    const beforeS = Math.floor(Date.now() / 1_000);
    const marketS = Number(
      await (await fetch(`${addresses.sandbox.venues['venue_a']?.['clobRest']}/time`)).text(),
    );
    expect([marketS >= beforeS, marketS <= Date.now() / 1_000]).toEqual([true, true]);
    expect(daemon.printed()).toBe(`${line}\n`);
    expect(kept()).toEqual(addresses);

    const asking = asked('--addresses');
    expect(await asking.ended).toEqual({ code: 0, signal: null });
    expect(JSON.parse(asking.printed())).toEqual(addresses);

    daemon.signal('SIGTERM');
    await daemon.ended;
    expect(existsSync(join(folder, 'addresses.json'))).toBe(false);
  });

  it('of a killed daemon are free', async () => {
    const daemon = asked();
    const { clobRest = '' } = (await daemon.saw(/order book +(?<clobRest>http\S+)/)).groups ?? {};
    expect(kept()).toMatchObject({ sandbox: { venues: { venue_a: { clobRest } } } });
    expect(await runningAddresses(folder)).toEqual(kept());
    daemon.signalGroup('SIGKILL');
    await daemon.ended;
    expect([existsSync(join(folder, 'addresses.json')), await runningAddresses(folder)]).toEqual([
      true,
      null,
    ]);
  });

  it('are the only option of a start', async () => {
    const daemon = asked('--adresses');
    expect([await daemon.ended, daemon.complained()]).toEqual([
      { code: 2, signal: null },
      'predictd: start has no option --adresses, only --addresses; settings are the PREDICTD_ variables in config/README.md.\n',
    ]);
  });
});
