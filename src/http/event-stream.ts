/** Writes events to one reader. */
export interface EventSink {
  /**
   * Sends one event; `id` is what a reader that comes back names in `Last-Event-ID`. False once the
   * reader has left, or reads too slowly.
   */
  send(event: { readonly id: string; readonly name: string; readonly data: unknown }): boolean;
}

/** An answer that goes on: server-sent events (WHATWG HTML, section 9.2). */
export class EventStream {
  /** Begins to send; what it gives ends the sending. */
  readonly start: (sink: EventSink) => () => void;

  constructor(start: (sink: EventSink) => () => void) {
    this.start = start;
  }
}
