import { useEffect, useReducer, useRef, useSyncExternalStore } from 'react';
import { session } from '../api/session.ts';
import { useNow } from '../app/now.ts';
import { browserScheduler } from './scheduler.ts';
import { LiveSocket, type SocketLike, type SocketState, type TopicMessage } from './socket.ts';

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

/** How the connection stands. */
export function useSocketState(): SocketState {
  return useSyncExternalStore(live.listen, () => live.state);
}

/** A connection that was lost for less than this is no news. */
const LOST_AFTER_MS = 1_000;

/** True once the connection has been lost for a second: live figures are old then. */
export function useIsLost(): boolean {
  const state = useSocketState();
  const nowMs = useNow();
  return state.kind === 'lost' && nowMs - state.sinceMs >= LOST_AFTER_MS;
}

/** A topic as the page shows it. */
export interface TopicView<State> {
  /** Null until the first snapshot. */
  readonly data: State | null;
  readonly isTrusted: boolean;
  /** When the newest input came, this device's epoch ms; null where none has. */
  readonly inputAtMs: number | null;
  /** Why nothing more comes; null while it does. */
  readonly ended: string | null;
}

const NOTHING = { data: null, isTrusted: false, inputAtMs: null, ended: null } as const;

/**
 * Reads a topic: a snapshot replaces what was known, changes are folded into it, and the page draws
 * at most once a frame. `topic` null reads nothing.
 */
export function useTopic<State>(
  topic: string | null,
  toState: (snapshot: unknown) => State,
  fold: (state: State, change: unknown) => State,
): TopicView<State> {
  const view = useRef<TopicView<State>>(NOTHING);
  const functions = useRef({ toState, fold });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    functions.current = { toState, fold };
  });
  useEffect(() => {
    view.current = NOTHING;
    redraw();
    if (topic === null) return undefined;
    let frame: number | null = null;
    const show = (next: TopicView<State>): void => {
      view.current = next;
      frame ??= requestAnimationFrame(() => {
        frame = null;
        redraw();
      });
    };
    const seen = ({ trusted, ageMs }: TopicMessage) => ({
      isTrusted: trusted,
      inputAtMs: ageMs === null ? null : Date.now() - ageMs,
      ended: null,
    });
    const leave = live.read(topic, {
      snapshot: (message) =>
        show({ ...seen(message), data: functions.current.toState(message.data) }),
      change: (message) => {
        const { data } = view.current;
        if (data !== null)
          show({ ...seen(message), data: functions.current.fold(data, message.data) });
      },
      ended: (reason) => show({ ...view.current, ended: reason }),
    });
    return () => {
      leave();
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [topic]);
  return view.current;
}
