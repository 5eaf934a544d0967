import { gasPaid, type PaidGas } from '../format/money.ts';

/** What the network took for a transaction, exact on hover; nothing where it took none. */
export function Gas({ of }: { readonly of: PaidGas | null }) {
  return of === null ? null : (
    <div className="faint" title={`${of.amount} ${of.symbol}`}>
      gas {gasPaid(of)}
    </div>
  );
}
