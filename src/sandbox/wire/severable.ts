import type { HttpCalls } from '../../adapters/wire/http-calls.ts';
import type { SocketHandle } from '../../adapters/wire/socket-frames.ts';
import type { Transport } from '../../adapters/wire/transport.ts';

/** A way to the outside that its process can lose for good. */
export interface SeverableWay {
  readonly transport: Transport;
  /** What is under way arrives; no answer does, nothing more leaves, and nothing more is heard. */
  sever(): void;
}

const NO_ANSWER = new Promise<never>(() => undefined);

/** Creates the way of one process over a transport that outlives it. */
export function severable(transport: Transport): SeverableWay {
  const sockets = new Set<SocketHandle>();
  let isSevered = false;
  return {
    transport: {
      calls(options): HttpCalls {
        const calls = transport.calls(options);
        return {
          close: () => calls.close(),
          async send(call) {
            if (isSevered) return NO_ANSWER;
            const outcome = await calls.send(call);
            return isSevered ? NO_ANSWER : outcome;
          },
        };
      },
      openSocket(options, listener) {
        const socket = transport.openSocket(options, {
          next: (frame) => isSevered || listener.next(frame),
          error: (cause) => isSevered || listener.error(cause),
        });
        sockets.add(socket);
        return socket;
      },
    },
    sever() {
      isSevered = true;
      for (const socket of sockets) socket.close();
    },
  };
}
