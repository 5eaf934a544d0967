import { useState } from 'react';
import { Problem } from '../../api/problem.ts';
import type { Estimate } from '../../api/venues.ts';
import { Button } from '../../ui/button.tsx';
import { type LargestBuy, largestBuy } from './spend-all.ts';
import styles from './markets.module.css';

/** What a purchase is of by itself, and the amounts that one press gives, USD. */
export const QUICK_USD = ['5', '25', '100'] as const;

/** Amounts of a purchase by one press: some dollars, or all that cash and limits have room for. */
export function BuyAmounts({
  amount,
  available,
  ask,
  onAmount,
}: {
  /** As it is typed. */
  readonly amount: string;
  /** USD at the venue; null where that is not known. */
  readonly available: string | null;
  /** What buying for an amount would do; null while the order lacks something else. */
  readonly ask: ((amount: string) => Promise<Estimate>) | null;
  onAmount(amount: string): void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [largest, setLargest] = useState<LargestBuy | null>(null);
  const takeAll = async (cash: string, of: (amount: string) => Promise<Estimate>) => {
    setBusy(true);
    try {
      const found = await largestBuy(cash, of);
      setLargest(found);
      onAmount(found.amount);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // the ticket asks for the same, and says what that is refused for
      onAmount(cash.replace(/(\.\d\d)\d+$/, '$1'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div className={styles['quick']}>
        {QUICK_USD.map((each) => (
          <Button key={each} isSmall onClick={() => onAmount(each)}>
            ${each}
          </Button>
        ))}
        <Button
          isSmall
          isBusy={isBusy}
          disabled={available === null || Number(available) === 0 || ask === null}
          onClick={() => {
            if (available !== null && ask !== null) void takeAll(available, ask);
          }}
        >
          All
        </Button>
      </div>
      {largest === null || largest.note === null || largest.amount !== amount ? null : (
        <p className="muted" role="status">
          {largest.note}
        </p>
      )}
    </>
  );
}
