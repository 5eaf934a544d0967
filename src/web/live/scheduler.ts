/** Wall time as the live layer needs it; tests bring a virtual one. */
export interface Scheduler {
  nowMs(): number;
  /** Calls back once after the time; returns how to stop that. */
  after(ms: number, callback: () => void): () => void;
}

/** The browser's own time. */
export const browserScheduler: Scheduler = {
  nowMs: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
