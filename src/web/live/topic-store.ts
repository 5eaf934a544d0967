import type { TopicMessage, TopicReader } from './socket.ts';

/** A topic as the page shows it. */
export interface TopicView<State> {
  /** Null until the first state: a snapshot may come before there is one. */
  readonly data: State | null;
  readonly isTrusted: boolean;
  /** When the newest input came, this device's epoch ms; null where none has. */
  readonly inputAtMs: number | null;
  /** Why nothing more comes; null while it does. */
  readonly ended: string | null;
}

/** What a topic's messages carry. */
export interface TopicShape<State> {
  /** Null of a snapshot that came before there was a state. */
  toState(snapshot: unknown): State | null;
  /**
   * Folds a change into what was known; null is nothing so far, and stays so where the change does
   * not carry all of its topic.
   */
  fold(state: State | null, change: unknown): State | null;
}

/** A topic that parts of a page read, each as much of it as it shows. */
export interface TopicStore<State> {
  /** The same object until there is news. */
  view(): TopicView<State>;
  /** Calls back after news, at most every other frame; returns how to stop that. */
  listen(listener: () => void): () => void;
  /** Takes what comes of the topic, until the function that it returns is called. */
  connect(): () => void;
}

/** A page that draws, and the connection that it reads. */
export interface TopicSource {
  read(reader: TopicReader): () => void;
  /** Calls back before the next frame, with its time in ms; returns how to stop that. */
  beforeFrame(callback: (atMs: number) => void): () => void;
  nowMs(): number;
}

/**
 * A figure that is there for less is read by no one: of a topic that changes in each frame every
 * other one is drawn, with all that came until then. What comes after a rest is drawn at once.
 */
const DRAWN_EVERY_MS = 30;

const NOTHING = { data: null, isTrusted: false, inputAtMs: null, ended: null } as const;

/** Creates a store: a snapshot replaces what was known, and changes are folded into it. */
export function topicStore<State>(
  { read, beforeFrame, nowMs }: TopicSource,
  { toState, fold }: TopicShape<State>,
): TopicStore<State> {
  const listeners = new Set<() => void>();
  let view: TopicView<State> = NOTHING;
  let stopFrame: (() => void) | null = null;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  const draw = (atMs: number): void => {
    if (atMs - drawnAtMs < DRAWN_EVERY_MS) {
      stopFrame = beforeFrame(draw);
      return;
    }
    drawnAtMs = atMs;
    stopFrame = null;
    for (const listener of listeners) listener();
  };
  const show = (next: TopicView<State>): void => {
    view = next;
    stopFrame ??= beforeFrame(draw);
  };
  const seen = ({ trusted, ageMs }: TopicMessage) => ({
    isTrusted: trusted,
    inputAtMs: ageMs === null ? null : nowMs() - ageMs,
    ended: null,
  });
  return {
    view: () => view,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connect: () => {
      const leave = read({
        snapshot: (message) => show({ ...seen(message), data: toState(message.data) }),
        change: (message) => {
          const data = fold(view.data, message.data);
          if (data !== null) show({ ...seen(message), data });
        },
        ended: (reason) => show({ ...view, ended: reason }),
      });
      return () => {
        leave();
        stopFrame?.();
        stopFrame = null;
      };
    },
  };
}
