import type { HttpCall, HttpCalls } from '../../../src/adapters/wire/http-calls.ts';
import type { Transport } from '../../../src/adapters/wire/transport.ts';
import type { Clock } from '../../../src/ports/clock.ts';

/**
 * The same way to the outside, of a process that hears nothing while it is paused: what it sends
 * arrives, and answers and frames wait until it is woken. `leaves` is called with each call.
 */
export function heardBy(
  process: Clock,
  way: Transport,
  leaves: (call: HttpCall) => void,
): Transport {
  const later = (run: () => void): void => void process.after(0, run);
  return {
    calls(options): HttpCalls {
      const calls = way.calls(options);
      return {
        close: () => calls.close(),
        send: (call) =>
          new Promise((resolve, reject) => {
            leaves(call);
            calls.send(call).then(
              (outcome) => later(() => resolve(outcome)),
              (cause: unknown) => later(() => reject(cause)),
            );
          }),
      };
    },
    openSocket: (options, listener) =>
      way.openSocket(
        { ...options, opened: (socket) => later(() => options.opened?.(socket)) },
        {
          next: (frame) => later(() => listener.next(frame)),
          error: (cause) => later(() => listener.error(cause)),
        },
      ),
  };
}
