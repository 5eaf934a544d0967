import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/schema.ts';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { runDoctorCommand } from '../../src/app/doctor-cli.ts';
import type { DoctorReport } from '../../src/app/doctor/report.ts';
import { killDaemons, startDaemon } from '../crash/support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import { startStubServer, type StubServer } from '../support/fixtures/stub-server.ts';

let home: string;
let stub: StubServer | null = null;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'predictd-doctor-'));
});
afterEach(async () => {
  await stub?.close();
  stub = null;
  await killDaemons();
  // The chains of a killed sandbox write their last state for a moment.
  rmSync(home, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

async function doctor(settings: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const lines: string[] = [];
  const code = await runDoctorCommand(words, {
    read: () => readEnvironment(settings),
    version: '1.2.3',
    engines: '^20.0.0 || ^22.0.0 || ^24.0.0',
    print: (line) => lines.push(line),
    clock: createWallClock(),
  });
  return { code, lines };
}

async function reportOf(settings: Readonly<Record<string, string>>): Promise<DoctorReport> {
  const { lines } = await doctor(settings, '--json');
  expect(lines.length).toBe(1);
  return JSON.parse(lines[0] ?? '');
}

const levelIn = (report: DoctorReport, name: string) =>
  report.checks.find((check) => check.name === name)?.level;

describe('predictd doctor', () => {
  it('prints one line a check for a folder that is not there yet, and makes nothing', async () => {
    const data = join(home, 'data');
    const { lines } = await doctor({ PREDICTD_PORT: '0' }, '--data', data);
    expect(lines.filter((line) => !/^(ok {3}|- {4}|warn |FAIL )\S/.test(line))).toEqual([
      expect.stringMatching(/^\d+ ok, \d+ warn, \d+ FAIL, \d+ skipped, in \d+\.\d s$/),
    ]);
    expect(lines.find((line) => /^- +outside /.test(line))).toMatch(
      /skipped: the sandbox's venues, chains and feeds run with its daemon/,
    );
    expect([existsSync(data), readdirSync(home)]).toEqual([false, []]);
  });

  it('gives one document, whose result is the worst of its checks and the exit code', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    const { code, lines } = await doctor({ PREDICTD_DATA: file, PREDICTD_PORT: '0' }, '--json');
    const report: DoctorReport = JSON.parse(lines[0] ?? '');
    expect([code, Object.keys(report)]).toEqual([
      2,
      ['version', 'profile', 'folder', 'result', 'tookMs', 'checks'],
    ]);
    expect(report).toMatchObject({
      version: '1.2.3',
      profile: 'sandbox',
      folder: file,
      result: 'fail',
    });
    expect(report.checks.find(({ name }) => name === 'data folder')).toEqual({
      name: 'data folder',
      level: 'fail',
      sentence: `${file} is no folder`,
      remedy: expect.any(String),
      tookMs: expect.any(Number),
    });
  });

  it.each([
    [{ PREDICTD_PROT: '8787' }, /^PREDICTD_PROT is not a setting of predictd, PREDICTD_PORT is/],
    [{ PREDICTD_PROFILE: 'live' }, /^the live profile needs PREDICTD_MASTER_KEY/],
    [{ PREDICTD_INDEXER_KEY: 'half' }, /^PREDICTD_INDEXER_KEY is set without PREDICTD_INDEXER_URL/],
  ])(
    'says of %j what is wrong, checks the machine all the same, and leaves out the rest in words',
    async (settings, sentence) => {
      const report = await reportOf(settings);
      expect(report.checks[0]).toMatchObject({
        name: 'settings',
        level: 'fail',
        sentence: expect.stringMatching(sentence),
      });
      expect([levelIn(report, 'node'), levelIn(report, 'everything else')]).toEqual([
        'ok',
        'skipped',
      ]);
    },
  );

  it.each([['--fast'], ['--data'], ['--prometheus', 'localhost:9090'], ['--json', 'now']])(
    'refuses %j by name',
    async (...words) => {
      await expect(doctor({}, ...words)).rejects.toThrow(
        /is not understood; use: predictd doctor \[--json\]/,
      );
    },
  );

  it('prints no secret, also where every service says back what it was shown', async () => {
    const secrets = {
      PREDICTD_MASTER_KEY: '7e'.repeat(32),
      PREDICTD_INTERNAL_SECRET: 'internal-secret-of-thirty-two-chars',
      PREDICTD_INFERENCE_KEY: 'inference-secret',
      PREDICTD_DATA_STREAMS_KEY: 'data-streams-key',
      PREDICTD_DATA_STREAMS_SECRET: 'data-streams-secret',
      PREDICTD_VENUE_B_KEY: 'venue-secret',
      PREDICTD_VENUE_D_KEY: 'viewed-secret',
      PREDICTD_ASSESSOR_KEY: 'assessor-secret',
      PREDICTD_ROUTER_KEY: 'router-secret',
      PREDICTD_GECKO_KEY: 'gecko-secret',
      PREDICTD_RELAYER_KEY: 'relayer-key',
      PREDICTD_RELAYER_SECRET: 'relayer-secret',
      PREDICTD_RELAYER_PASSPHRASE: 'relayer-passphrase',
      PREDICTD_TWILIO_SECRET: 'telephone-secret',
      PREDICTD_GOOGLE_CLIENT_SECRET: 'google-secret',
    };
    stub = await startStubServer({
      answer: ({ path, headers }) => ({
        status: 418,
        body: { error: `${path} ${JSON.stringify(headers)}`, message: path },
      }),
      connected: (socket, { headers, path }) => {
        socket.close(1_008, `${path} ${headers.authorization ?? ''}`.slice(0, 120));
      },
    });
    const { httpUrl, socketUrl } = stub;
    const report = await reportOf({
      ...secrets,
      PREDICTD_PROFILE: 'live',
      PREDICTD_PORT: '0',
      PREDICTD_DATA: join(home, 'data'),
      PREDICTD_ASSESSOR_URL: `${httpUrl}/v1`,
      PREDICTD_ASSESSOR_MODEL: 'reader',
      PREDICTD_GOOGLE_ISSUER: httpUrl,
      PREDICTD_GOOGLE_CLIENT_ID: 'us',
      PREDICTD_GOOGLE_RETURN_URL: 'https://app.example/back',
      PREDICTD_TWILIO_URL: httpUrl,
      PREDICTD_TWILIO_SERVICE: `VA${'1'.repeat(32)}`,
      PREDICTD_TWILIO_ACCOUNT: `AC${'2'.repeat(32)}`,
      PREDICTD_POLYGON_RPC_URL: `${httpUrl}/v2/polygon-key-of-12345678`,
      PREDICTD_BASE_RPC_URL: `${httpUrl}/?key=base-key-secret`,
      PREDICTD_SOLANA_RPC_URL: `${httpUrl}/?api-key=solana-key-secret`,
      ...Object.fromEntries(HTTP_SETTINGS.map((name) => [`PREDICTD_${name}`, httpUrl])),
      ...Object.fromEntries(SOCKET_SETTINGS.map((name) => [`PREDICTD_${name}`, socketUrl])),
    });
    const asked = JSON.stringify(stub.requests);
    const said = JSON.stringify(report);
    const shown = [
      ...Object.values(secrets),
      'polygon-key-of-12345678',
      'base-key-secret',
      'solana-key-secret',
    ];
    // the services were asked with keys, or nothing would be proven
    expect(shown.filter((secret) => asked.includes(secret)).length).toBeGreaterThan(6);
    expect(shown.filter((secret) => said.includes(secret))).toEqual([]);
    expect(levelIn(report, 'inference')).toBe('fail');
  });

  it('checks a running sandbox by its own addresses, takes no lock, and finds nothing that fails', async () => {
    const settings = { PREDICTD_DATA: join(home, 'data'), PREDICTD_SANDBOX_SPEED: '1' };
    const daemon = startDaemon(settings);
    await daemon.saw(/answers at/);
    const names = [
      'second daemon',
      'ready',
      'sealed keys',
      'contracts',
      'node of Polygon',
      'assessor',
    ];
    // a machine that many share takes its time until each chain answers within the bound
    const report = await eventually(
      async () => {
        const now = await reportOf(settings);
        expect(now.checks.filter(({ level }) => level === 'fail')).toEqual([]);
        expect(names.map((name) => [name, levelIn(now, name)])).toEqual(
          names.map((name) => [name, 'ok']),
        );
        return now;
      },
      { interval: 1_000 },
    );
    expect(report.checks.find(({ name }) => name === 'second daemon')?.sentence).toContain(
      `pid ${daemon.pid}`,
    );
  });
});

const HTTP_SETTINGS = [
  'CLOB_URL',
  'GAMMA_URL',
  'DATA_API_URL',
  'VENUE_SITE_URL',
  'VENUE_B_METADATA_URL',
  'VENUE_B_TRADE_URL',
  'VENUE_B_PROOF_URL',
  'VENUE_B_PROOF_PAGE_URL',
  'VENUE_C_REST_URL',
  'VENUE_D_URL',
  'INFERENCE_URL',
  'DATA_STREAMS_URL',
  'EXCHANGE_URL',
  'BRIDGE_URL',
  'RELAYER_URL',
  'GECKO_URL',
  'DEXSCREENER_URL',
  'ROUTER_URL',
];
const SOCKET_SETTINGS = [
  'CLOB_MARKET_SOCKET_URL',
  'CLOB_USER_SOCKET_URL',
  'RTDS_URL',
  'VENUE_B_METADATA_SOCKET_URL',
  'VENUE_C_SOCKET_URL',
  'DATA_STREAMS_SOCKET_URL',
  'EXCHANGE_SOCKET_URL',
];
