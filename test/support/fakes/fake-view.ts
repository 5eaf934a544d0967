import type { Address, VenueId } from '../../../src/domain/ids.ts';
import type { ViewedPosition, ViewedPositions } from '../../../src/domain/viewed-position.ts';
import type { PositionsView } from '../../../src/ports/positions-view.ts';

/** A view-only venue in memory. */
export interface FakeView extends PositionsView {
  /** Accounts that were asked about, in order. */
  readonly asked: Address[];
  /** What it answers; a test may replace it. */
  answer: (account: Address, signal: AbortSignal) => Promise<ViewedPositions>;
}

/** Makes one that knows of no positions. */
export function createFakeView(id: VenueId): FakeView {
  const view: FakeView = {
    id,
    asked: [],
    answer: async () => viewedPositions([]),
    positions(account, signal) {
      view.asked.push(account);
      return view.answer(account, signal);
    },
    close: async () => undefined,
  };
  return view;
}

/** What a venue tells, all of it readable. */
export function viewedPositions(positions: readonly ViewedPosition[]): ViewedPositions {
  return { positions, unreadable: 0, isCut: false };
}

/** Ten shares in dollars, bought at 40 cents and worth 60. */
export function aViewedPosition(parts: Partial<ViewedPosition> = {}): ViewedPosition {
  return {
    marketId: '56:170145',
    outcomeId: '0',
    network: { chainId: 56, name: 'BNB Smart Chain' },
    mechanism: 'amm',
    question: 'Will the lunar lander touch down in one piece?',
    outcomeLabel: 'Yes',
    state: 'open',
    isClaimable: false,
    shareMicros: 10_000_000n,
    entryMicros: 400_000n,
    priceMicros: 600_000n,
    currency: { symbol: 'USDT', token: `0x${'55'.repeat(20)}`, isDollar: true },
    costMicros: 4_000_000n,
    valueMicros: 6_000_000n,
    profitMicros: 2_000_000n,
    endsAtMs: 1_830_297_540_000,
    ...parts,
  };
}
