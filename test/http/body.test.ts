import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { readBody, watchAbort } from '../../src/http/body.ts';
import type { HttpResponse } from '../../src/http/listener/listener.ts';

/** A body that is said to be of 4 bytes and may take 1,000 ms; `send` brings a byte of it. */
function coming() {
  const clock = createVirtualClock(0);
  const seen: string[] = [];
  let aborted = (): void => undefined;
  let take = (_chunk: ArrayBuffer, _isLast: boolean): void => undefined;
  // what is read of a response by a body
  const response = {
    onAborted: (handler: () => void) => (aborted = handler),
    onData: (handler: typeof take) => (take = handler),
    close: () => {
      seen.push('cut');
      aborted();
    },
  } as unknown as HttpResponse;
  const reading = readBody(
    response,
    { contentLength: 4, maximumBytes: 4, maximumMs: 1_000, clock },
    watchAbort(response),
  );
  void reading.then((body) => seen.push(body === null ? 'nothing' : `${body.byteLength} bytes`));
  return { clock, seen, send: (isLast: boolean) => take(new ArrayBuffer(1), isLast) };
}

it('cuts the connection of a body that is not whole in time, however steadily it comes', async () => {
  const { clock, seen, send } = coming();
  for (let sent = 0; sent < 3; sent += 1) {
    send(false);
    await clock.advance(333);
  }
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect(seen).toEqual(['cut', 'nothing']);
});

it('leaves the connection of a body that came in time alone', async () => {
  const { clock, seen, send } = coming();
  for (const isLast of [false, false, false, true]) send(isLast);
  await clock.advance(5_000);
  expect(seen).toEqual(['4 bytes']);
});
