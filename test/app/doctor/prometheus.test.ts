import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DOCTOR } from '../../../config/limits/doctor.ts';
import { prometheusChecks, testAlertCheck } from '../../../src/app/doctor/prometheus-checks.ts';
import { T0 } from '../../support/builders.ts';
import { startStubServer, type StubServer } from '../../support/fixtures/stub-server.ts';
import { found, levelsOf } from './found.ts';

/** What a Prometheus has to say, by path; the shapes are those of its own interface. */
const WELL = {
  targets: [{ health: 'up', lastError: '', labels: { job: 'predictd' } }],
  rules: [
    { name: 'PredictdVenueDown', state: 'inactive' },
    { name: 'PredictdWatchdog', state: 'firing' },
  ],
  receivers: [{ url: 'http://127.0.0.1:9093/api/v2/alerts' }],
};

let stub: StubServer;
beforeEach(async () => {
  stub = await startStubServer();
});
afterEach(() => stub.close());

function checksOn(said: Partial<typeof WELL>) {
  const { targets, rules, receivers } = { ...WELL, ...said };
  const bodies: Readonly<Record<string, unknown>> = {
    '/api/v1/targets?state=active': { data: { activeTargets: targets } },
    '/api/v1/rules?type=alert': { data: { groups: [{ rules }] } },
    '/api/v1/alertmanagers': { data: { activeAlertmanagers: receivers } },
  };
  stub.behaviour.answer = ({ path }) => ({ body: bodies[path] });
  return prometheusChecks(stub.httpUrl);
}

describe('Prometheus', () => {
  it('is well with the daemon as a target, the rules, a Watchdog that fires and a receiver', async () => {
    expect(await levelsOf(checksOn({}))).toEqual({
      Prometheus: 'ok',
      'alert rules': 'ok',
      'alert receiver': 'ok',
    });
  });

  it.each<readonly [string, Partial<typeof WELL>, string, RegExp]>([
    ['Prometheus', { targets: [] }, 'fail', /asks no target of the job predictd/],
    [
      'Prometheus',
      { targets: [{ health: 'down', lastError: '401', labels: { job: 'predictd' } }] },
      'fail',
      /is down: 401/,
    ],
    [
      'alert rules',
      { rules: [{ name: 'NodeDown', state: 'firing' }] },
      'fail',
      /none of the rules/,
    ],
    [
      'alert rules',
      { rules: [{ name: 'PredictdVenueDown', state: 'inactive' }] },
      'warn',
      /no Watch/,
    ],
    [
      'alert rules',
      { rules: [{ name: 'PredictdWatchdog', state: 'inactive' }] },
      'warn',
      /is inactive/,
    ],
    ['alert receiver', { receivers: [] }, 'fail', /no alert gets out/],
  ])('%s: %j is %s', async (name, said, level, sentence) => {
    expect(await found(checksOn(said), name)).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('that does not speak its interface fails, and none is asked where none is named', async () => {
    stub.behaviour.answer = () => ({ status: 404 });
    await expect(found(prometheusChecks(stub.httpUrl), 'Prometheus')).rejects.toThrow(
      'has no such interface',
    );
    expect(new Set(Object.values(await levelsOf(prometheusChecks(null))))).toEqual(
      new Set(['skipped']),
    );
  });
});

describe('a test alert', () => {
  const sent = (url: string | null) => found([testAlertCheck(url, () => T0)], 'test alert');

  it('is sent to the Alertmanager that was named, and ends by itself', async () => {
    const bodies: string[] = [];
    const receiver = createServer(async (request, response) => {
      bodies.push(`${request.method} ${request.url} ${await text(request)}`);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo; // it listens
    expect(await sent(`http://127.0.0.1:${port}`)).toMatchObject({
      level: 'ok',
      sentence: expect.stringContaining('took PredictdTestAlert'),
    });
    receiver.close();
    const [body = ''] = bodies;
    expect(body).toContain('POST /api/v2/alerts [{');
    expect(body).toContain('"alertname":"PredictdTestAlert"');
    expect(body).toContain(new Date(T0 + DOCTOR.testAlertMs).toISOString());
  });

  it('that is not taken fails, and none is sent unless one was asked for', async () => {
    stub.behaviour.answer = () => ({ status: 500, body: {} });
    expect(await sent(stub.httpUrl)).toMatchObject({
      level: 'fail',
      sentence: expect.stringContaining('answered 500'),
    });
    await stub.close();
    expect(await sent(stub.httpUrl)).toMatchObject({
      level: 'fail',
      sentence: expect.stringContaining('took none'),
    });
    expect((await sent(null)).level).toBe('skipped');
    expect(stub.requests).toHaveLength(1);
    stub = await startStubServer();
  });
});
