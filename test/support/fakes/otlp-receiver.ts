import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as OTLP has it in JSON. */
export interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly flags: number;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly events: readonly { readonly name: string; readonly timeUnixNano: string }[];
  readonly status: { readonly code: number };
}

/** A receiver of traces over HTTP as JSON, which keeps all spans; `silent` never answers. */
export async function startOtlpReceiver({ isSilent = false } = {}) {
  const spans: OtlpSpan[] = [];
  let arrive: () => void;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const server = createServer((request, answer) => {
    void buffer(request).then((body) => {
      for (const { scopeSpans } of JSON.parse(body.toString()).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      arrive();
      if (!isSilent) answer.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    /** Resolves with the first request. */
    arrived,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
