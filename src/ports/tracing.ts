/** Something that happened at a moment of a span. */
export interface SpanEvent {
  readonly name: string;
  /** Wall time, epoch ms with parts. */
  readonly atMs: number;
}

/** A piece of work that has ended. Made after the fact: what was measured already, as a tree. */
export interface EndedSpan {
  readonly name: string;
  /** Ids as lower-case hex digits, 32 and 16. */
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the root of a trace. */
  readonly parentSpanId: string | null;
  /** Wall time, epoch ms with parts. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  /** No user, key, phone, or amount. */
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly events: readonly SpanEvent[];
}

/** Where spans go; absent unless a receiver is configured, and no span is made then. */
export interface Tracing {
  /** Wall time, epoch ms with parts: finer than a clock's. */
  nowMs(): number;
  /** 32 fresh hex digits. */
  newTraceId(): string;
  /** 16 fresh hex digits. */
  newSpanId(): string;
  /** Takes spans of one story to be sent in a later turn. Never waits, never throws. */
  keep(spans: readonly EndedSpan[]): void;
}
