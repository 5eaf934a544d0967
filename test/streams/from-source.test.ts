import { describe, expect, it } from 'vitest';
import type { Listener } from '../../src/ports/listener.ts';
import { fromSource } from '../../streams/from-source.ts';

describe('fromSource', () => {
  it('starts the source on subscription and stops it on leaving', () => {
    const events: string[] = [];
    const stream = fromSource<number>((listener) => {
      events.push('start');
      listener.next(1);
      return () => events.push('stop');
    });
    expect(events).toEqual([]);
    const reader = stream.subscribe((value) => events.push(`value ${value}`));
    reader.unsubscribe();
    expect(events).toEqual(['start', 'value 1', 'stop']);
  });

  it('stops the source after its failure, also one that comes at once', () => {
    const events: string[] = [];
    fromSource<number>((listener) => {
      listener.error('broken');
      return () => events.push('stop');
    }).subscribe({ error: (cause) => events.push(String(cause)) });
    expect(events).toEqual(['broken', 'stop']);
  });

  it('gives nothing after a failure', () => {
    let listener: Listener<number> | null = null;
    const seen: unknown[] = [];
    fromSource<number>((given) => {
      listener = given;
      return () => undefined;
    }).subscribe({ next: (value) => seen.push(value), error: (cause) => seen.push(cause) });
    const source = listener as unknown as Listener<number>; // set by the subscription above
    source.error('broken');
    source.next(2);
    expect(seen).toEqual(['broken']);
  });
});
