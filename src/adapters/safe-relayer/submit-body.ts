import { zeroAddress } from 'viem';
import { assert } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { SignedSafeTransaction } from './safe-transaction.ts';

/**
 * The body of `POST /submit` for a signed transaction: the same one gives the same bytes each time
 * (L1). Source: venue_a.md section 14.3.
 */
export function submitBody(action: SignedSafeTransaction, factory: Address): string {
  if (action.kind === 'create') {
    return JSON.stringify({
      from: action.owner,
      to: factory,
      proxyWallet: action.safe,
      data: '0x',
      signature: action.signature,
      signatureParams: { paymentToken: zeroAddress, payment: '0', paymentReceiver: zeroAddress },
      type: 'SAFE-CREATE',
    });
  }
  assert(
    action.call.valueWei === 0n,
    'native coin travels inside a batch: the wire has no field for it',
  );
  return JSON.stringify({
    from: action.owner,
    to: action.call.to,
    proxyWallet: action.safe,
    data: action.call.data,
    nonce: String(action.nonce),
    signature: action.signature,
    signatureParams: {
      gasPrice: '0',
      operation: String(action.operation),
      safeTxnGas: '0',
      baseGas: '0',
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
    },
    type: 'SAFE',
    metadata: action.note,
  });
}
