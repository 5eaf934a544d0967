import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Clock } from '../../../src/ports/clock.ts';
import { carry } from './carry.ts';
import { createSwap, type Swap } from './swap.ts';
import { CALM, type Blow, type Unit, type FaultSchedule } from './fault-schedule.ts';

/** Where a proxy leads. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** How a proxy is made. */
export interface ProxyOptions {
  /** What its units are named by. */
  readonly name: string;
  /**
   * Asked at each connection: a server that was started again may be elsewhere. Null refuses it.
   */
  readonly target: () => Target | null;
  readonly clock: Pick<Clock, 'after'>;
  /** Called for each fault that happened. */
  readonly onBlow?: (unit: Unit, blow: Blow) => void;
}

/**
 * A loopback proxy between a client and a server that both speak HTTP/1.1 and WebSocket. It passes
 * everything on until it gets a fault schedule.
 */
export interface Proxy {
  readonly port: number;
  setFaultSchedule(faultSchedule: FaultSchedule): void;
  close(): Promise<void>;
}

/** What the connections of one proxy share. */
export interface Link extends Pick<ProxyOptions, 'name' | 'target' | 'clock'> {
  faultSchedule(): FaultSchedule;
  struck(unit: Unit, blow: Blow): void;
  /** Requests, and answers, that wait for the next one of any connection. */
  readonly requests: Swap;
  readonly answers: Swap;
}

/** Starts a proxy on 127.0.0.1. */
export async function startProxy({ name, target, clock, onBlow }: ProxyOptions): Promise<Proxy> {
  let faultSchedule = CALM;
  let connections = 0;
  const open = new Set<Socket>();
  const link: Link = {
    name,
    target,
    clock,
    faultSchedule: () => faultSchedule,
    struck: (unit, blow) => onBlow?.(unit, blow),
    requests: createSwap(clock),
    answers: createSwap(clock),
  };
  const server = createServer({ noDelay: true }, (client) => {
    connections += 1;
    open.add(client);
    client.on('close', () => open.delete(client));
    carry(link, client, connections);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    // a listening TCP server has an address and a port
    port: (server.address() as AddressInfo).port,
    setFaultSchedule(next) {
      faultSchedule = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of open) client.destroy();
      }),
  };
}
