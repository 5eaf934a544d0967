import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { z } from 'zod';
import { CHAIN_GATE } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import { readJson, type Listening } from '../../wire/http-server.ts';
import type { EvmNode } from './evm-node.ts';
import { readTransaction, type SentTransaction } from './sent-transaction.ts';
import { createTransactionFaults } from './transaction-faults.ts';

const callSchema = z.object({
  id: z.union([z.number(), z.string(), z.null()]),
  method: z.literal('eth_sendRawTransaction'),
  params: z.tuple([z.string()]),
});

/**
 * Serves a node to callers outside: every call as it is, HTTP and WebSocket, but that faults meet
 * transactions that come by HTTP, one at a call.
 */
export async function startChainGate(parts: {
  readonly node: EvmNode;
  readonly faults: FaultBoard;
  /** The chains' time. */
  readonly clock: Clock;
  /** Called before a transaction reaches the node; one that fails changes nothing. */
  readonly before: readonly ((transaction: SentTransaction) => Promise<void>)[];
}): Promise<Listening> {
  const { node, faults, clock, before } = parts;
  const onTheWay = createTransactionFaults(node, faults, clock);
  const sockets = new Set<Socket>();

  async function answerTo(body: string): Promise<string> {
    const call = body.includes('eth_sendRawTransaction')
      ? callSchema.safeParse(readJson(body))
      : null;
    const sent = call?.success === true ? await readTransaction(call.data.params[0]) : null;
    if (sent === null) return forward(body);
    for (const hook of before) await hook(sent).catch(() => undefined);
    const answer = await onTheWay.send(sent, () => forward(body));
    return answer ?? JSON.stringify({ jsonrpc: '2.0', id: call?.data?.id, result: sent.hash });
  }

  async function forward(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(node.url, { method: 'POST', headers, body })).text();
  }

  const server = createServer((request, response) => {
    bodyOf(request)
      .then(answerTo)
      .then((text) => response.setHeader('content-type', 'application/json').end(text))
      // a node that is gone says nothing, nor does one whose answer is lost
      .catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket, head) => {
    const inner = connect(Number(new URL(node.url).port), '127.0.0.1');
    const lines = request.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
    );
    inner.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    inner.write(head);
    inner.pipe(socket).pipe(inner);
    for (const [one, other] of [
      [inner, socket],
      [socket, inner],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A listening TCP server has an address and a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await onTheWay.stop();
      await new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}

/** Rejects for one that is too long. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > CHAIN_GATE.bodyMaximumBytes) throw new RangeError('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
