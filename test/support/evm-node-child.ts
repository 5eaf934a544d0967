import { startEvmNode } from '../../src/sandbox/chain/evm-node.ts';

// A process that owns a node and says its process id, until it is killed: `node evm-node-child.ts <state file> <address to fund>`.
const [, , stateFile = '', address = ''] = process.argv;
const node = await startEvmNode({ chainId: 137, stateFile });
await node.client.setBalance({ address: address as `0x${string}`, value: 77n });
process.stdout.write(`${node.processId}\n`);
setInterval(() => undefined, 60_000);
