/** Which decisions of an agent are listed: all, or those that led to an order. */
export type ListedDecisions = 'all' | 'orders';

/**
 * A verdict that holds for all agents of the same settings is noted once for them together, and no
 * topic publishes it: without this a list would stay as empty as it was when the agent was enabled.
 */
const READ_AGAIN_MS = 10_000;

/**
 * How often a list of decisions is read again, ms; false where topics say all that comes. Once
 * older pages were read it is not, for they are read again together.
 */
export function decisionsAgainMs(which: ListedDecisions, pagesRead: number): number | false {
  return which === 'all' && pagesRead <= 1 ? READ_AGAIN_MS : false;
}
