/** Where a trace goes on (W3C Trace Context, section 3.2): ids as lower-case hex digits. */
export interface TraceContext {
  /** 32 digits, not all zero. */
  readonly traceId: string;
  /** 16 digits, not all zero. */
  readonly spanId: string;
  /** Whether it is kept whatever becomes of it. */
  readonly isSampled: boolean;
}

const PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const CHARS = 55;

/**
 * Reads a `traceparent` of version 00; null for anything else, as the specification wants: a trace
 * of its own is begun then.
 */
export function readTraceparent(text: string): TraceContext | null {
  const [, traceId, spanId, flags] = text.length === CHARS ? (PATTERN.exec(text) ?? []) : [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes it, 55 characters. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The fields that name the trace of what has a `traceparent`, for log lines; none without one. */
export function traceFields({ traceparent }: { readonly traceparent?: string | undefined }): {
  readonly traceId?: string;
} {
  const context = traceparent === undefined ? null : readTraceparent(traceparent);
  return context === null ? {} : { traceId: context.traceId };
}
