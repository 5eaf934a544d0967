import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';
import { useNow } from '../app/now.ts';
import { browserScheduler } from './scheduler.ts';
import { LiveSocket, type SocketLike, type SocketState } from './socket.ts';
import { type TopicShape, type TopicStore, topicStore, type TopicView } from './topic-store.ts';

/** The page's one connection. */
export const live = new LiveSocket({
  open() {
    const socket = new WebSocket(
      `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`,
    );
    const wrapped: SocketLike = {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: (code) => socket.close(code),
      onopen: null,
      onmessage: null,
      onclose: null,
    };
    socket.addEventListener('open', () => wrapped.onopen?.());
    socket.addEventListener('message', (event) => wrapped.onmessage?.(event));
    socket.addEventListener('close', (event) => wrapped.onclose?.(event));
    return wrapped;
  },
  token: () => session.accessToken(),
  scheduler: browserScheduler,
  chance: () => Math.random(),
  isHidden: () => document.hidden,
});

/** The state of the connection. */
export function useSocketState(): SocketState {
  return useSyncExternalStore(live.listen, () => live.state);
}

/** A connection that was lost for less than this is no news, but where the browser is offline. */
const LOST_AFTER_MS = 1_000;

/**
 * True once the connection has been lost for a second, or is while the browser is offline: live
 * figures are old then.
 */
export function useIsLost(): boolean {
  const state = useSocketState();
  const nowMs = useNow();
  return state.kind === 'lost' && (!navigator.onLine || nowMs - state.sinceMs >= LOST_AFTER_MS);
}

/**
 * Reads a topic while the caller is shown; null reads nothing. Its news draw those anew that read
 * the store, and not the caller. `shape` is the same object each time.
 */
export function useTopicStore<State>(
  topic: string | null,
  shape: TopicShape<State>,
): TopicStore<State> {
  const store = useMemo(
    () =>
      topicStore(
        {
          read: (reader) => (topic === null ? () => undefined : live.read(topic, reader)),
          beforeFrame: (callback) => {
            const frame = requestAnimationFrame(callback);
            return () => cancelAnimationFrame(frame);
          },
          nowMs: () => Date.now(),
        },
        shape,
      ),
    [topic, shape],
  );
  useEffect(() => store.connect(), [store]);
  return store;
}

/** All of a topic: drawn again by all its news. */
export function useTopic<State>({ listen, view }: TopicStore<State>): TopicView<State> {
  return useSyncExternalStore(listen, view);
}

/** A part of a topic: the same object, and nothing drawn again, while it is the same. */
export function useTopicPart<State, Part>(
  { listen, view }: TopicStore<State>,
  partOf: (topic: TopicView<State>) => Part,
  isSame: (one: Part, other: Part) => boolean = Object.is,
): Part {
  const last = useRef<{ readonly part: Part } | null>(null);
  return useSyncExternalStore(listen, () => {
    const part = partOf(view());
    if (last.current === null || !isSame(last.current.part, part)) last.current = { part };
    return last.current.part;
  });
}
