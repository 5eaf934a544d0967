import { Moment } from '../../ui/figures.tsx';
import type { Column } from '../../ui/table.tsx';

/** How far something is, in words, and why where there is a reason. */
export function stateColumn<State extends string>(
  inWords: (state: State) => string,
): Column<{ readonly state: State; readonly reason: string | null }> {
  return {
    head: 'State',
    cell: ({ state, reason }) => (
      <>
        {inWords(state)}
        {reason === null ? null : (
          <div className="faint">
            <bdi>{reason}</bdi>
          </div>
        )}
      </>
    ),
  };
}

/** When it was made. */
export const WHEN: Column<{ readonly createdAtMs: number }> = {
  head: 'When',
  isNumber: true,
  cell: ({ createdAtMs }) => <Moment atMs={createdAtMs} />,
};
