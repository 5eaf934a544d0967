/** Bounds of traces, each with its reason. They count only where PREDICTD_OTLP_URL is set. */
export const TRACING = {
  /** Part of the orders kept whatever became of them: enough to see what usual looks like. */
  usualPart: 0.01,
  /**
   * An order answered later than this is always kept: what the promise `order_ack` counts as late.
   */
  slowMs: 2_500,
  /** Open orders followed at a time; one beyond them is placed without a trace. */
  ordersMaximum: 10_000,
  /**
   * Questions named in one `order.unknown`: a quarter of an hour of them; the others are counted.
   */
  questionsMaximum: 64,
  /** Spans that wait to be sent, about 2 MB; beyond that they are dropped and counted. */
  queueMaximum: 2_048,
  /** Spans in one request to the receiver: encoding them holds the event loop for about 2 ms. */
  batchMaximum: 128,
  /** How long spans are gathered before they are sent. */
  gatherMs: 1_000,
  /** How long a request to the receiver may take, tries again included. */
  sendTimeoutMs: 5_000,
  /** How long the end of the daemon waits for what is left to be sent. */
  endTimeoutMs: 2_000,
} as const;
