import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import type { Random } from '../../../../ports/random.ts';
import { readJson } from '../../../wire/http-server.ts';
import type { SocketPeer, UpgradedChannel, UpgradeRequest } from '../../../wire/socket-server.ts';
import { VENUE_MODEL } from '../../../../../config/limits/sandbox.ts';

/** A client that has joined the namespace. */
export interface IoClient {
  emit(event: string, payload: unknown): void;
  /** Ends the connection without a farewell. */
  cut(): void;
}

/** What a namespace does with one client. */
interface IoHandler {
  /** An event with its first argument; `answer` is there where the client waits for one. */
  event(name: string, payload: unknown, answer: ((body: unknown) => void) | null): void;
  gone(): void;
}

/** A namespace: a handler for a client, or the sentence it is refused with. */
export type IoNamespace = (client: IoClient, request: UpgradeRequest) => IoHandler | string;

/**
 * Serves one namespace of socket.io 4 over websockets alone (Engine.IO 4: venue_c.md sections 12
 * and 18).
 */
export function socketIoChannel({
  namespace,
  connect,
  clock,
  random,
}: {
  /** Such as `/markets`; clients of others are refused. */
  readonly namespace: string;
  readonly connect: IoNamespace;
  /** People's time: who does not answer a ping is gone. */
  readonly clock: Clock;
  readonly random: Random;
}): UpgradedChannel {
  const newId = (): string => Buffer.from(random.bytes(15)).toString('base64url');
  return (peer, request) => {
    let handler: IoHandler | null = null;
    let timer: Timer | null = null;
    const leave = (): void => {
      handler?.gone();
      handler = null;
    };
    const ping = (): void => {
      timer = clock.after(POOL_VENUE.pingIntervalMs, () => {
        peer.send('2');
        timer = clock.after(POOL_VENUE.pingTimeoutMs, () => peer.cut());
      });
    };
    const join = (): void => {
      if (handler !== null) return;
      const joined = connect(clientOf(peer, namespace), request);
      if (typeof joined === 'string') {
        peer.send(`44${namespace},${JSON.stringify({ message: joined })}`);
        return;
      }
      handler = joined;
      peer.send(`40${namespace},${JSON.stringify({ sid: newId() })}`);
    };
    peer.send(
      `0${JSON.stringify({
        sid: newId(),
        upgrades: [],
        pingInterval: POOL_VENUE.pingIntervalMs,
        pingTimeout: POOL_VENUE.pingTimeoutMs,
        maxPayload: VENUE_MODEL.socketPayloadMaximumBytes,
      })}`,
    );
    ping();
    return {
      frame(text) {
        if (text === '3') {
          timer?.cancel();
          ping();
          return;
        }
        if (text === '1') return peer.close(1000, '');
        const packet = readPacket(text);
        if (packet === null) return peer.close(1002, 'not a packet');
        if (packet.namespace !== namespace) {
          if (packet.type === '0')
            peer.send(`44${packet.namespace},${JSON.stringify({ message: 'Invalid namespace' })}`);
          return;
        }
        if (packet.type === '0') join();
        else if (packet.type === '1') leave();
        else if (handler !== null) deliver(handler, peer, packet);
      },
      gone() {
        timer?.cancel();
        leave();
      },
    };
  };
}

interface Packet {
  readonly type: string;
  readonly namespace: string;
  /** Of an event whose sender waits for an answer. */
  readonly acknowledgement: string;
  readonly body: unknown;
}

/** Type, namespace, number of the acknowledgement, body. */
const PACKET = /^4([0-3])(?:(\/[^,]*),)?(\d*)(.*)$/s;

function readPacket(text: string): Packet | null {
  const [, type, namespace = '/', acknowledgement = '', json = ''] = PACKET.exec(text) ?? [];
  return type === undefined ? null : { type, namespace, acknowledgement, body: readJson(json) };
}

function deliver(handler: IoHandler, peer: SocketPeer, packet: Packet): void {
  const { type, namespace, acknowledgement, body } = packet;
  if (type !== '2' || !Array.isArray(body) || typeof body[0] !== 'string') return;
  handler.event(
    body[0],
    body[1],
    acknowledgement === ''
      ? null
      : (answer) => peer.send(`43${namespace},${acknowledgement}${JSON.stringify([answer])}`),
  );
}

function clientOf(peer: SocketPeer, namespace: string): IoClient {
  return {
    emit: (event, payload) => peer.send(`42${namespace},${JSON.stringify([event, payload])}`),
    cut: () => peer.cut(),
  };
}
