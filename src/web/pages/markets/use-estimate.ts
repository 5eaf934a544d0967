import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import type { Estimate, OrderBody, OrderCalls } from '../../api/venues.ts';

/** An estimate is asked for once typing has stopped for so long. */
const TYPED_MS = 300;

/** An estimate is asked for anew when the price has stayed where it moved to for so long. */
const MOVED_MS = 400;

/** Asks what placing an order would do, as it is typed and as the book moves. */
export function useEstimate(
  calls: OrderCalls,
  body: OrderBody,
  { isComplete, quote }: { readonly isComplete: boolean; readonly quote: string | null },
) {
  // What was typed before may lack what is typed now: it is asked about only if it was complete.
  const [{ body: settled, isComplete: wasComplete }, setSettled] = useState({ body, isComplete });
  const text = JSON.stringify(body);
  useEffect(() => {
    // parsed anew, so that the effect hangs on the text alone
    const typed = { body: JSON.parse(text) as OrderBody, isComplete };
    const timer = setTimeout(() => setSettled(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text, isComplete]);
  const isAsked = isComplete && wasComplete && /^\d*\.?\d+$/.test(String(settled.amount));
  const asked = useQuery<Estimate, Problem>({
    queryKey: ['estimate', settled],
    queryFn: ({ signal }) => calls.estimate(settled, signal),
    enabled: isAsked,
    refetchInterval: 4_000,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
  const queries = useQueryClient();
  const { refetch } = asked;
  // the ticket names one price: what it would do is asked for anew when the book beside it moves
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), MOVED_MS);
    return () => clearTimeout(timer);
  }, [quote, isAsked, refetch]);
  return {
    ...estimateOf(asked, { isAsked, isOfThis: JSON.stringify(settled) === text }),
    // by the cache, which asks for none that is incomplete by then
    again: () => queries.invalidateQueries({ queryKey: ['estimate'] }),
  };
}

/**
 * Takes an answer for what is typed now only where it was asked for that: another amount's figures
 * beside this one's would be believed.
 */
export function estimateOf(
  {
    data = null,
    error,
    isPlaceholderData,
  }: {
    readonly data: Estimate | null | undefined;
    readonly error: Problem | null;
    readonly isPlaceholderData: boolean;
  },
  { isAsked, isOfThis }: { readonly isAsked: boolean; readonly isOfThis: boolean },
): {
  /** Of what is typed now; null until it has come. */
  readonly ofThis: Estimate | null;
  /** Of what was typed before, whose room is kept until this one's comes. */
  readonly before: Estimate | null;
  /** How the estimate of what is typed now was refused. */
  readonly fault: Problem | null;
} {
  const isCurrent = isAsked && isOfThis;
  const isAnswer = isCurrent && !isPlaceholderData;
  return {
    ofThis: isAnswer ? data : null,
    before: isAnswer || !isAsked ? null : data,
    fault: isCurrent ? error : null,
  };
}
