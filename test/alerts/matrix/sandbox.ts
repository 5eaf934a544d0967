import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, startDaemon } from '../../crash/support/daemon.ts';
import type { FaultName, FaultRule } from '../../../src/sandbox/faults.ts';

/** What a call came to. */
export interface Called {
  readonly status: number;
  /** The body, read as JSON; an empty object without one. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A sandbox daemon of its own, its demo user, and the switchboard of its faults. */
export interface Sandbox {
  /** Base URL. */
  readonly url: string;
  daemon(): Daemon;
  /** One call of the demo user. */
  call(method: string, path: string, body?: object): Promise<Called>;
  /** Arms a fault; gives what disarms it. */
  arm(name: FaultName, rule?: FaultRule): Promise<() => Promise<void>>;
  /** Addresses of the world beside it, by name. */
  addresses(): Readonly<Record<string, string>>;
  /** Starts it again, on the same data and port. */
  restart(): Promise<void>;
}

/** Below the ports that callers are given, so that it is free when the daemon starts again. */
const PORT = String(20_000 + (process.pid % 10_000));
const SETTINGS = { PREDICTD_SANDBOX_SPEED: '1', PREDICTD_PORT: PORT };
/** A call takes no longer, ms. */
const CALL_MS = 8_000;

/** Starts the daemon and waits until its demo user can trade. */
export async function startSandbox(
  folder: string,
  { preload }: { readonly preload?: string } = {},
): Promise<Sandbox> {
  const options = preload === undefined ? {} : { preload };
  let daemon = startDaemon({ ...SETTINGS, PREDICTD_DATA: folder }, options);
  const url = await daemon.url();
  await daemon.saw(/demo user \S+ is ready/);

  const addresses = (): Readonly<Record<string, string>> =>
    JSON.parse(readFileSync(join(folder, 'addresses.json'), 'utf8')).sandbox;
  const control = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${addresses()['control']}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  return {
    url,
    daemon: () => daemon,
    addresses,
    async call(method, path, body) {
      const token = readFileSync(join(folder, 'demo-token'), 'utf8').trim();
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          prefer: 'wait=0',
        },
        signal: AbortSignal.timeout(CALL_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: readJson(text) };
    },
    async arm(name, rule = {}) {
      const armed = await control('POST', '/faults', { name, ...rule });
      if (!armed.ok) throw new Error(`${name}: ${await armed.text()}`);
      return async () => void (await control('DELETE', `/faults/${name}`));
    },
    async restart() {
      daemon = startDaemon({ ...SETTINGS, PREDICTD_DATA: folder }, options);
      await daemon.url();
    },
  };
}

function readJson(text: string): Called['body'] {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
