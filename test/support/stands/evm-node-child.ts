import { startEvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import { openLocalChain } from '../../../src/sandbox/chains/evm/local-chain.ts';

// A process that owns a node, gives it more to do than it is through with, and says its process id and what it gave it, until it is killed: `node evm-node-child.ts <state file> <address to fund>`.
const [, , stateFile = '', address = ''] = process.argv;
const node = await startEvmNode({ chainId: 137, stateFile });
await node.client.setBalance({ address: address as `0x${string}`, value: 77n });
const sender = (await openLocalChain(node, 7)).sender('relayer');
const sent = await Promise.all(
  Array.from({ length: 3 }, () => sender.submit({ to: null, data: '0x5b600056' })),
);
process.stdout.write(`${node.processId}\n${sent.map(({ hash }) => hash).join(' ')}\n`);
setInterval(() => undefined, 60_000);
