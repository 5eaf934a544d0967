import { chanceOf, mangle, type Chance } from './chance.ts';
import type { Finding, Target } from './finding.ts';
import { hostileJson, hostileName } from './hostile.ts';
import { rawExchange } from './raw-exchange.ts';

/** Where sockets are opened, and by whom. */
export interface SocketCallers {
  readonly port: number;
  /** A token of a user, of as few or as many users as the limits on sockets of one ask for. */
  token(): Promise<string>;
  readonly topics: readonly string[];
}

const QUIET_MS = 60;
const OPS: ReadonlySet<string> = new Set([
  'authenticated',
  'subscribed',
  'unsubscribed',
  'pong',
  'error',
]);

/** Frames of a client at `/ws`: messages, and what is not even a frame. */
export function clientFrames(callers: SocketCallers): Target {
  return {
    name: 'sockets',
    async live(seed, number) {
      const chance = chanceOf(seed, 'sockets', number);
      const token = chance.often(70) ? await callers.token() : null;
      const sent = Array.from({ length: 1 + chance.below(12) }, () =>
        frameOf(chance, callers.topics),
      );
      const { bytes, isHung } = await rawExchange(callers.port, {
        upgrade: upgradeOf(token),
        chunks: sent,
        quietMs: QUIET_MS,
      });
      const shown = `after ${JSON.stringify(sent.map((frame) => frame.toString('latin1').slice(0, 300)))}`;
      if (isHung) return `the connection hung ${shown}`;
      const fault = judge(bytes);
      return fault === null ? null : `${fault} ${shown}`;
    },
    end: async () => null,
  };
}

function upgradeOf(token: string | null): string {
  return `GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${token === null ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`;
}

/** What is wrong with the server's frames; null when nothing is. */
function judge(bytes: Buffer): Finding {
  let at = 0;
  while (at + 2 <= bytes.length) {
    const opcode = (bytes[at] ?? 0) & 0x0f;
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    const body = bytes.subarray(at + head, at + head + length);
    if (body.length < length) return null;
    at += head + length;
    if (opcode === 8 || opcode === 9 || opcode === 10) continue;
    const message: Record<string, unknown> = JSON.parse(body.toString('utf8'));
    const isTopic =
      typeof message.topic === 'string' &&
      (message.kind === 'snapshot' || message.kind === 'change');
    if (!isTopic && !OPS.has(String(message.op))) return `said ${body.toString('utf8', 0, 300)}`;
    if (message.op === 'error' && (message.code === 'internal' || typeof message.code !== 'string'))
      return `said ${body.toString('utf8', 0, 300)}`;
  }
  return null;
}

/** A frame as RFC 6455 has it, or nearly. */
function frameOf(chance: Chance, topics: readonly string[]): Buffer {
  if (chance.often(8))
    return mangle(chance, framed(chance, 1, Buffer.from(messageOf(chance, topics))));
  if (chance.often(8)) return chance.bytes(1 + chance.below(40));
  if (chance.often(15)) {
    const opcode = chance.pick([0, 2, 3, 7, 8, 8, 9, 10, 15]);
    return framed(
      chance,
      opcode,
      chance.pick([
        Buffer.alloc(0),
        chance.bytes(chance.below(130)),
        Buffer.from([0x03, 0xe8]),
        Buffer.from([0x00]),
        Buffer.from([0xff, 0xff, 0x41]),
      ]),
    );
  }
  return framed(
    chance,
    1,
    chance.often(8)
      ? Buffer.concat([Buffer.from('{"op":"'), Buffer.from([0xff, 0xc0, 0x80])])
      : Buffer.from(messageOf(chance, topics)),
  );
}

function framed(chance: Chance, opcode: number, payload: Buffer): Buffer {
  const isMasked = !chance.often(4);
  const claimed = chance.often(4)
    ? chance.pick([0, payload.length + 1, 100_000, 2 ** 31, 2 ** 40])
    : payload.length;
  const first = (chance.often(8) ? chance.pick([0x00, 0x40, 0x70, 0xf0]) : 0x80) | opcode;
  const bit = isMasked ? 0x80 : 0;
  const head =
    claimed < 126
      ? Buffer.from([first, bit | claimed])
      : claimed < 65_536
        ? Buffer.from([first, bit | 126, claimed >> 8, claimed & 255])
        : longHead(first, bit, claimed);
  if (!isMasked) return Buffer.concat([head, payload]);
  const mask = chance.bytes(4);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

function longHead(first: number, bit: number, length: number): Buffer {
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = bit | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

function messageOf(chance: Chance, topics: readonly string[]): string {
  const names = Array.from({ length: chance.pick([1, 1, 2, 5, 300]) }, () =>
    chance.often(70)
      ? chance.pick(topics)
      : chance.pick([
          '',
          'orders ',
          'prices:DOGE',
          'prices:btc',
          'orderbook:',
          'orderbook:venue_a:abc',
          'orderbook:venue_z:1',
          `orderbook:venue_a:${'9'.repeat(79)}`,
          'x'.repeat(129),
          '#',
          '*',
          '__proto__',
          hostileName(chance).slice(0, 100),
        ]),
  );
  const list = JSON.stringify(names);
  switch (chance.below(8)) {
    case 0:
    case 1:
      return `{"op":"subscribe","topics":${list}}`;
    case 2:
      return `{"op":"unsubscribe","topics":${list}}`;
    case 3:
      return `{"op":"ping","id":${hostileJson(chance)}}`;
    case 4:
      return `{"op":"auth","token":${chance.often(50) ? hostileJson(chance) : '"a.b.c"'}}`;
    case 5:
      return `{"op":${hostileJson(chance)},"topics":${list}}`;
    case 6:
      return `{"op":"subscribe","topics":${hostileJson(chance)},${JSON.stringify(hostileName(chance))}:1}`;
    default:
      return hostileJson(chance);
  }
}
