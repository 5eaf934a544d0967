import { z } from 'zod';
import type { Hex } from 'viem';
import { AppError } from '../../../domain/errors.ts';
import type { EvmNode } from './evm-node.ts';
import type { EvmSender } from './evm-sender.ts';

/** True where there is code. */
export async function hasCode(node: EvmNode, address: Hex): Promise<boolean> {
  const code = await node.client.getCode({ address });
  return code !== undefined && code !== '0x';
}

/**
 * Puts a contract at an address of our choice: deploys `initCode` in the usual way, then copies the
 * code it left and every slot its constructor wrote. Does nothing where there is code already. The
 * code comes last, so what is there is whole. Only a local node can do this; it lets the local
 * chain carry the venue's production addresses.
 */
export async function placeContract(
  node: EvmNode,
  deployer: EvmSender,
  target: { readonly address: Hex; readonly initCode: Hex },
): Promise<void> {
  if (await hasCode(node, target.address)) return;
  const { contractAddress, transactionHash } = await deployer.send({
    to: null,
    data: target.initCode,
  });
  const code =
    contractAddress === null || contractAddress === undefined
      ? undefined
      : await node.client.getCode({ address: contractAddress });
  if (contractAddress === null || contractAddress === undefined || code === undefined)
    throw new AppError('chain_reverted', `no contract came of ${transactionHash}`);
  for (const [index, value] of Object.entries(
    await writtenSlots(node, transactionHash, contractAddress),
  )) {
    await node.client.setStorageAt({
      address: target.address,
      index: index as Hex,
      value: value as Hex,
    }); // slots and words of 32 bytes, checked by `tracedSchema`
  }
  await node.client.setCode({ address: target.address, bytecode: code });
}

const word = z.string().regex(/^0x[0-9a-f]{64}$/);
const tracedSchema = z.object({
  post: z.record(z.string(), z.object({ storage: z.record(word, word).optional() })),
});

async function writtenSlots(
  node: EvmNode,
  transactionHash: Hex,
  address: Hex,
): Promise<Readonly<Record<string, string>>> {
  const request = node.client.request as unknown as (call: {
    readonly method: string;
    readonly params: readonly unknown[];
  }) => Promise<unknown>; // viem's list of methods leaves the tracer out
  const traced = tracedSchema.parse(
    await request({
      method: 'debug_traceTransaction',
      params: [transactionHash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
    }),
  );
  return (
    Object.entries(traced.post).find(
      ([touched]) => touched.toLowerCase() === address.toLowerCase(),
    )?.[1].storage ?? {}
  );
}
