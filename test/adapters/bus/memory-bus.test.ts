import { expect, it } from 'vitest';
import { createMemoryBus } from '../../../src/adapters/bus/memory-bus.ts';
import type { JournalEntry } from '../../../src/domain/events.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';

const anEntry = (seq: number): JournalEntry => ({
  seq,
  event: {
    type: 'user.created',
    userId: asId<UserId>('usr_a'),
    atMs: seq,
    address: asId<Address>('0x1'),
  },
});

function aBus() {
  const logged: [string, unknown][] = [];
  const silent = () => undefined;
  const bus = createMemoryBus({
    log: {
      debug: silent,
      info: silent,
      warn: silent,
      error: (fields, event) => logged.push([event, fields]),
    },
  });
  return { bus, logged };
}

it('tells every listener every entry in order', () => {
  const { bus } = aBus();
  const heard: string[] = [];
  bus.subscribe(({ seq }) => heard.push(`a${seq}`));
  bus.subscribe(({ seq }) => heard.push(`b${seq}`));
  bus.publish([anEntry(1), anEntry(2)]);
  expect(heard).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('logs a listener that throws and goes on with the others', () => {
  const { bus, logged } = aBus();
  const heard: number[] = [];
  const broken = new Error('listener');
  bus.subscribe(() => {
    throw broken;
  });
  bus.subscribe(({ seq }) => heard.push(seq));
  bus.publish([anEntry(1), anEntry(2)]);
  expect(heard).toEqual([1, 2]);
  expect(logged).toEqual(
    [1, 2].map((seq) => ['bus.listener_failed', { seq, type: 'user.created', cause: broken }]),
  );
});

it('tells a listener that left nothing more, and one that subscribed twice twice', () => {
  const { bus } = aBus();
  const heard: number[] = [];
  const listener = ({ seq }: JournalEntry) => {
    heard.push(seq);
  };
  const leave = bus.subscribe(listener);
  bus.subscribe(listener);
  bus.publish([anEntry(1)]);
  leave();
  bus.publish([anEntry(2)]);
  expect(heard).toEqual([1, 1, 2]);
});

it('lets what a listener publishes wait until everybody has heard the entry before', () => {
  const { bus } = aBus();
  const heard: string[] = [];
  bus.subscribe(({ seq }) => {
    heard.push(`a${seq}`);
    if (seq === 1) bus.publish([anEntry(2)]);
  });
  bus.subscribe(({ seq }) => heard.push(`b${seq}`));
  bus.publish([anEntry(1)]);
  expect(heard).toEqual(['a1', 'b1', 'a2', 'b2']);
});
