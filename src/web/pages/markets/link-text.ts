import { marketLine } from '../../format/market-name.ts';
import { shortHash } from '../../format/text.ts';

/** What a link to a market says: its one line, a word while that is read, and else its short id. */
export function linkText(
  read: {
    readonly data: Parameters<typeof marketLine>[0] | undefined;
    readonly isLoading: boolean;
  },
  marketId: string,
): string {
  if (read.data !== undefined) return marketLine(read.data);
  return read.isLoading ? 'a market' : shortHash(marketId);
}
