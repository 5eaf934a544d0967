import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Environment } from '../../../config/schema.ts';
import type { Addresses } from '../addresses.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';

/** What the checks of this machine's own addresses are about. */
export interface NetworkParts {
  readonly environment: Pick<
    Environment,
    'PREDICTD_HOST' | 'PREDICTD_PORT' | 'PREDICTD_TRUSTED_PROXIES' | 'PREDICTD_INTERNAL_SECRET'
  >;
  /** The daemon of the folder; null where none runs. */
  readonly daemon: Pick<Addresses, 'api' | 'pid'> | null;
  /** Addresses of this machine that others reach. */
  readonly addresses: readonly string[];
  /** False for play money, which no operator has to stop. */
  readonly isMoneyReal: boolean;
}

/** Addresses of this machine but those of loopback and of one link. */
export function outerAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Checks of the address the daemon listens on, and of who reaches it. */
export function networkChecks(parts: NetworkParts): readonly Check[] {
  const remedy = 'set PREDICTD_HOST and PREDICTD_PORT to an address of this machine that is free';
  const row = (name: string, finding: () => Finding): Check =>
    check(name, { level: 'warn', remedy: 'run doctor again' }, async () => finding());
  return [
    check('listen address', { level: 'fail', remedy }, () => listenFinding(parts)),
    row('in front', () => frontFinding(parts)),
    row('operator routes', () => operatorFinding(parts)),
    row('IPv6', () =>
      parts.addresses.some((address) => address.includes(':'))
        ? ok('this machine has an address of it')
        : skipped('this machine has no address of it; all is reached by IPv4'),
    ),
  ];
}

async function listenFinding({ environment, daemon }: NetworkParts): Promise<Finding> {
  const { PREDICTD_HOST: host, PREDICTD_PORT: port } = environment;
  if (port === 0) return ok(`${host}, on a port that is free at the start`);
  if (daemon !== null && Number(new URL(daemon.api).port) === port)
    return ok(`the daemon of this folder (pid ${daemon.pid}) listens on ${host}:${port}`);
  const fault = await listenFault(host, port);
  if (fault === null) return ok(`${host}:${port} is free`);
  return fail(
    fault === 'EADDRINUSE'
      ? `another program listens on ${host}:${port}`
      : `${host}:${port} cannot be listened on (${fault})`,
    'end that program, or set PREDICTD_HOST and PREDICTD_PORT',
  );
}

/** Listens for a moment; gives the code of what is in the way, null where nothing is. */
function listenFault(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (cause) => resolve('code' in cause ? String(cause.code) : cause.name));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

function frontFinding({ environment }: NetworkParts): Finding {
  const { PREDICTD_HOST: host, PREDICTD_TRUSTED_PROXIES: proxies } = environment;
  if (LOOPBACK.test(host)) return ok(`${host} is reached from this machine alone`);
  return proxies.length > 0
    ? ok(`${host}, behind the proxies ${proxies.join(', ')}`)
    : warn(
        `${host} is reached from other machines, and no proxy that brings TLS is named`,
        'listen on 127.0.0.1 behind a proxy, or name it in PREDICTD_TRUSTED_PROXIES',
      );
}

function operatorFinding({ environment, isMoneyReal }: NetworkParts): Finding {
  if (environment.PREDICTD_INTERNAL_SECRET !== undefined) return ok('the internal secret is set');
  const text = 'PREDICTD_INTERNAL_SECRET is not set, so /internal is closed';
  return isMoneyReal
    ? warn(`${text}: no operator can stop trading`, 'set one of 32 characters or more')
    : skipped(text);
}
