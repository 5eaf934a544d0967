import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../src/adapters/wire/http-calls.ts';
import type { Transport } from '../../../src/adapters/wire/transport.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import { severable } from '../../../src/sandbox/wire/severable.ts';

function begin() {
  const sent: string[] = [];
  const heard: unknown[] = [];
  const answers: ((outcome: HttpOutcome) => void)[] = [];
  let listener: Listener<Buffer> | null = null;
  const isOpen = { socket: false };
  const outside: Transport = {
    calls: () => ({
      close: async () => undefined,
      send(call) {
        sent.push(call.path);
        return new Promise((resolve) => void answers.push(resolve));
      },
    }),
    openSocket(_options, given) {
      listener = given;
      isOpen.socket = true;
      return {
        send: () => true,
        close: () => {
          isOpen.socket = false;
        },
      };
    },
  };
  const way = severable(outside);
  const calls = way.transport.calls({} as Parameters<Transport['calls']>[0]); // not read
  const options = {} as Parameters<Transport['openSocket']>[0]; // as above
  const listen: Listener<Buffer> = {
    next: (frame) => heard.push(frame.toString()),
    error: (cause) => heard.push(cause),
  };
  way.transport.openSocket(options, listen);
  const ask = (path: string) =>
    void calls.send({ method: 'GET', path, timeoutMs: 1 }).then((answer) => heard.push(answer));
  const hear = (text: string) => listener?.next(Buffer.from(text));
  return { way, ask, hear, sent, heard, answers, isOpen };
}

const ANSWER: HttpOutcome = { kind: 'answered', status: 200, text: '', retryAfterMs: null };

describe('a way that its process can lose', () => {
  it('passes on calls, answers and frames as long as it lasts', async () => {
    const { ask, hear, sent, heard, answers } = begin();
    ask('/one');
    hear('frame');
    answers[0]?.(ANSWER);
    await new Promise(setImmediate);
    expect([sent, heard]).toEqual([['/one'], ['frame', ANSWER]]);
  });

  it('lets what is under way arrive and nothing come back, and sends no more', async () => {
    const { way, ask, hear, sent, heard, answers, isOpen } = begin();
    ask('/one');
    way.sever();
    answers[0]?.(ANSWER);
    hear('frame');
    ask('/two');
    await new Promise(setImmediate);
    expect([sent, heard, isOpen.socket]).toEqual([['/one'], [], false]);
  });
});
