import { connect, type Socket } from 'node:net';
import { createFrameLane } from './frame-lane.ts';
import { createHttpCutter, type HttpMessage } from './http-cutter.ts';
import type { Link } from './proxy.ts';
import type { Blow, Carries, Unit, Way } from './fault-schedule.ts';

/** What is known of a connection that is carried. */
interface Carried {
  readonly link: Link;
  readonly client: Socket;
  /** What comes next of a kind on a way, and what the fault schedule does to it. */
  next(way: Way, carries: Carries): { readonly unit: Unit; readonly blow: Blow | null };
  /** Bytes go to the server; a connection to it is made for the first. */
  forward(bytes: Buffer): void;
  deliver(bytes: Buffer): void;
  /** The answer of the next request that was forwarded is dropped. */
  swallowAnswer(): void;
  end(how: 'truncate' | 'reset' | 'stall'): void;
  /** Something is on its way to the server that its sender may not live to see. */
  readonly late: { count: number };
}

/**
 * Carries one connection of a client, through the fault schedule, to the server and back. Bytes are
 * passed on as they are, in whole messages.
 */
export function carry(link: Link, client: Socket, connection: number): void {
  const numbers = new Map<string, number>();
  const requests = createHttpCutter();
  let answers = createHttpCutter();
  const late = { count: 0 };
  let server: Socket | null = null;
  let swallowed = 0;
  let mode: 'http' | 'frames' | 'over' = 'http';
  let lanes: {
    readonly there: (bytes: Buffer) => void;
    readonly back: (bytes: Buffer) => void;
  } | null = null;

  const carried: Carried = {
    link,
    client,
    late,
    next(way, carries) {
      const number = (numbers.get(`${way} ${carries}`) ?? 0) + 1;
      numbers.set(`${way} ${carries}`, number);
      const unit = { link: link.name, connection, number, way, carries };
      return { unit, blow: link.faultSchedule().blowAt(unit) };
    },
    forward(bytes) {
      // The server lets idle connections go, also while a request for it is late.
      if (server === null || server.writableEnded || server.destroyed) server = open();
      server?.write(bytes);
      // Who sent it has gone: after it there is nothing more to say.
      if (client.destroyed && late.count === 0) server?.end();
    },
    deliver(bytes) {
      if (!client.destroyed) client.write(bytes);
    },
    swallowAnswer() {
      swallowed += 1;
    },
    end(how) {
      mode = 'over';
      if (how === 'stall') return;
      if (how === 'reset') client.resetAndDestroy();
      else client.end(() => client.destroy());
      server?.end();
    },
  };

  function open(): Socket | null {
    const to = link.target();
    if (to === null) {
      client.resetAndDestroy();
      return null;
    }
    answers = createHttpCutter();
    const socket = connect({ ...to, noDelay: true });
    socket.on('data', (bytes: Buffer) => guarded(() => fromServer(bytes)));
    socket.on('error', () => client.resetAndDestroy());
    // A stalled line stays open and silent, whatever the server does.
    socket.on('close', () => {
      if (mode !== 'over' && late.count === 0) client.end(() => client.destroy());
    });
    return socket;
  }

  function fromClient(bytes: Buffer): void {
    if (mode === 'over') return;
    if (mode === 'frames') return lanes?.there(bytes);
    for (const message of requests.push(bytes)) takeRequest(carried, message);
  }

  function fromServer(bytes: Buffer): void {
    if (mode === 'over') return;
    if (mode === 'frames') return lanes?.back(bytes);
    for (const message of answers.push(bytes)) {
      if (swallowed > 0) swallowed -= 1;
      else takeAnswer(carried, message);
      if (message.isUpgrade && mode === 'http') {
        mode = 'frames';
        lanes = { there: laneOf(carried, 'there'), back: laneOf(carried, 'back') };
        lanes.back(answers.rest());
        lanes.there(requests.rest());
      }
    }
  }

  /** What is neither HTTP nor WebSocket is not carried. */
  function guarded(take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      carried.end('reset');
    }
  }

  client.on('data', (bytes: Buffer) => guarded(() => fromClient(bytes)));
  client.on('error', () => client.destroy());
  client.on('close', () => {
    if (late.count === 0) server?.end();
  });
}

function laneOf({ link, next, forward, deliver, end }: Carried, way: Way): (bytes: Buffer) => void {
  return createFrameLane({
    clock: link.clock,
    next() {
      const { unit, blow } = next(way, 'frame');
      return blow === null ? null : { blow, struck: () => link.struck(unit, blow) };
    },
    write: way === 'there' ? forward : deliver,
    end,
  });
}

function takeRequest(carried: Carried, { bytes, isUpgrade }: HttpMessage): void {
  const { link, forward, late, client, end } = carried;
  const { unit, blow } = carried.next('there', 'request');
  const pass = (): void => {
    forward(bytes);
    link.requests.passed();
  };
  const passLater = (): void => {
    late.count -= 1;
    pass();
  };
  // A WebSocket is opened once: its request has no order among others, and no copy.
  if (blow === null || (isUpgrade && (blow.fault === 'duplicate' || blow.fault === 'reorder')))
    return pass();
  if (blow.fault === 'reorder') {
    late.count += 1;
    return link.requests.hold((hasSwapped) => {
      if (hasSwapped) link.struck(unit, blow);
      late.count -= 1;
      forward(bytes);
    });
  }
  link.struck(unit, blow);
  if (blow.fault === 'delay') {
    late.count += 1;
    link.clock.after(blow.delayMs, passLater);
  } else if (blow.fault === 'duplicate') {
    const isCopyHeard = blow.share < 0.5;
    if (isCopyHeard) carried.swallowAnswer();
    pass();
    sendCopy(carried, bytes, isCopyHeard);
  } else if (blow.fault === 'truncate') {
    forward(bytes.subarray(0, Math.floor(bytes.length * blow.share)));
    client.destroy();
    end('truncate');
  } else if (blow.fault !== 'drop') end(blow.fault);
}

/** The same bytes once more, over a connection of their own. */
function sendCopy({ link, deliver }: Carried, bytes: Buffer, isHeard: boolean): void {
  const to = link.target();
  if (to === null) return;
  const cutter = createHttpCutter();
  const socket = connect({ ...to, noDelay: true }, () => void socket.write(bytes));
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    for (const answer of cutter.push(data)) {
      if (isHeard) deliver(answer.bytes);
      socket.end();
    }
  });
}

function takeAnswer(carried: Carried, { bytes, isUpgrade, startLine }: HttpMessage): void {
  const { link, deliver, end } = carried;
  if (/^HTTP\/1\.1 1(?!01)/.test(startLine)) return deliver(bytes);
  const { unit, blow } = carried.next('back', 'answer');
  const pass = (): void => {
    deliver(bytes);
    link.answers.passed();
  };
  // What follows the word that opens a WebSocket must come after it.
  if (
    blow === null ||
    blow.fault === 'duplicate' ||
    (isUpgrade && (blow.fault === 'delay' || blow.fault === 'reorder'))
  )
    return pass();
  if (blow.fault === 'reorder') {
    return link.answers.hold((hasSwapped) => {
      if (hasSwapped) link.struck(unit, blow);
      deliver(bytes);
    });
  }
  link.struck(unit, blow);
  if (blow.fault === 'delay') return void link.clock.after(blow.delayMs, pass);
  if (blow.fault === 'truncate') {
    deliver(bytes.subarray(0, Math.floor(bytes.length * blow.share)));
    return end('truncate');
  }
  // A WebSocket whose opening word is lost never comes about.
  if (blow.fault === 'drop') return isUpgrade ? end('stall') : undefined;
  end(blow.fault);
}
