import { API } from '../../config/limits/api.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { AbortState } from './body.ts';
import type { EventSink, EventStream } from './event-stream.ts';
import { writeHead, type Answer } from './respond.ts';
import type { HttpResponse } from './listener/listener.ts';

/** The event streams that are open. */
export interface OpenStreams {
  /**
   * Answers with a stream, and goes on until the reader leaves, falls behind, or all are closed.
   */
  begin(response: HttpResponse, answer: Answer, stream: EventStream, state: AbortState): void;
  /** Ends every stream; readers come back by themselves. */
  close(): void;
}

/** A line that no reader shows: proxies and the server itself end what stays silent. */
const KEEP_ALIVE = ': keep-alive\n\n';

/** Makes the streams. */
export function createOpenStreams(clock: Clock): OpenStreams {
  const open = new Set<() => void>();
  return {
    begin(response, answer, stream, state) {
      let timer: Timer | null = null;
      let stop: () => void = () => undefined;
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        timer?.cancel();
        open.delete(finish);
        stop();
      };
      const finish = (): void => {
        end();
        if (!state.isAborted) response.cork(() => void response.end());
      };
      const write = (text: string): boolean => {
        if (isOver || state.isAborted) return false;
        let isWritten = true;
        response.cork(() => void (isWritten = response.write(text)));
        // who does not keep up is let go, and begins again where it was
        if (!isWritten) {
          end();
          response.close();
        }
        return isWritten;
      };
      const beat = (): void => {
        if (write(KEEP_ALIVE)) timer = clock.after(API.streamKeepAliveMs, beat);
      };
      const sink: EventSink = {
        send: ({ id, name, data }) =>
          write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
      };
      state.onAbort = end;
      open.add(finish);
      response.cork(() => writeHead(response, answer));
      write(`retry: ${API.streamRetryMs}\n\n`);
      try {
        stop = stream.start(sink);
      } catch {
        // the head has left, so the end is all that can be said: the reader comes back and is
        // answered why
        finish();
        return;
      }
      if (isOver) stop();
      else timer = clock.after(API.streamKeepAliveMs, beat);
    },
    close() {
      for (const finish of open) finish();
    },
  };
}
