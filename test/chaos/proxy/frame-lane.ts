import type { Clock } from '../../../src/ports/clock.ts';
import { createFrameCutter, type Frame } from './frame-cutter.ts';
import { createSwap } from './swap.ts';
import type { Blow } from './fault-schedule.ts';

/** One way of an open WebSocket. */
export interface FrameLaneParts {
  readonly clock: Pick<Clock, 'after'>;
  /** What becomes of the next frame; null lets it through. */
  next(): {
    readonly blow: Blow /** To be called when it has really happened. */;
    struck(): void;
  } | null;
  write(bytes: Buffer): void;
  /** Ends the connection as these faults do; nothing passes any more. */
  end(how: 'truncate' | 'reset' | 'stall'): void;
}

/** Frames that wait behind a late one; more means that there is no reader. */
const WAITING_MAXIMUM = 10_000;

/**
 * Passes frames on in order, but for what the fault schedule does to them; a late frame holds up
 * all behind it, as on a real line.
 */
export function createFrameLane({
  clock,
  next,
  write,
  end,
}: FrameLaneParts): (bytes: Buffer) => void {
  const cut = createFrameCutter();
  const waiting: Frame[] = [];
  const swap = createSwap(clock);
  let state: 'open' | 'held' | 'ended' = 'open';

  function pass(bytes: Buffer): void {
    write(bytes);
    swap.passed();
  }

  function stop(how: 'truncate' | 'reset' | 'stall'): void {
    state = 'ended';
    end(how);
  }

  function meet(
    { bytes, isMessage }: Frame,
    { blow, struck }: NonNullable<ReturnType<FrameLaneParts['next']>>,
  ): void {
    // A part of a message or a control frame that came twice or elsewhere would be another
    // protocol, not another order of events.
    if (!isMessage && ['drop', 'duplicate', 'reorder'].includes(blow.fault)) return pass(bytes);
    if (blow.fault === 'reorder') {
      return swap.hold((hasSwapped) => {
        if (state === 'ended') return;
        write(bytes);
        if (hasSwapped) struck();
      });
    }
    struck();
    if (blow.fault === 'duplicate') {
      pass(bytes);
      write(bytes);
    } else if (blow.fault === 'delay') {
      state = 'held';
      clock.after(blow.delayMs, () => {
        if (state === 'ended') return;
        state = 'open';
        pass(bytes);
        run();
      });
    } else if (blow.fault === 'truncate') {
      write(bytes.subarray(0, Math.floor(bytes.length * blow.share)));
      stop('truncate');
    } else if (blow.fault !== 'drop') stop(blow.fault);
  }

  function run(): void {
    while (state === 'open') {
      const frame = waiting.shift();
      if (frame === undefined) return;
      const met = next();
      if (met === null) pass(frame.bytes);
      else meet(frame, met);
    }
  }

  return (bytes) => {
    if (state === 'ended') return;
    waiting.push(...cut(bytes));
    if (waiting.length > WAITING_MAXIMUM) stop('reset');
    else run();
  };
}
