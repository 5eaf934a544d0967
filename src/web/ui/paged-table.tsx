import type { ReactNode } from 'react';
import type { PagedRead } from '../api/paged.ts';
import { Button } from './button.tsx';
import { Read } from './state.tsx';
import { type Column, Table } from './table.tsx';
import styles from './table.module.css';

/** A list that is read page by page, with a button for the next page where there is one. */
export function PagedTable<Row>({
  of,
  empty,
  more,
  ...table
}: {
  readonly of: PagedRead<Row>;
  readonly empty: ReactNode;
  /** What the button says that reads the next page. */
  readonly more?: string;
  readonly caption: string;
  readonly columns: readonly Column<NoInfer<Row>>[];
  keyOf(row: NoInfer<Row>): string;
  /** What is shown below a row over its whole width; null for nothing. */
  below?(row: NoInfer<Row>, rows: readonly NoInfer<Row>[]): ReactNode;
}) {
  return (
    <Read of={of} isEmpty={(rows) => rows.length === 0} empty={empty}>
      {(rows) => (
        <>
          <Table {...table} rows={rows} />
          <OlderRows of={of} {...(more === undefined ? {} : { more })} />
        </>
      )}
    </Read>
  );
}

/** The button for the next page of a list where there is one, or that the list is full. */
export function OlderRows({
  of: { data = [], readOlder, isReadingOlder, isFull },
  more = 'Show older ones',
}: {
  readonly of: PagedRead<unknown>;
  readonly more?: string;
}) {
  if (isFull)
    return (
      <p className={`${styles['more']} faint`}>
        The newest {data.length} are shown here. Programs can read older ones.
      </p>
    );
  return readOlder === null ? null : (
    <div className={styles['more']}>
      <Button isBusy={isReadingOlder} onClick={readOlder}>
        {more}
      </Button>
    </div>
  );
}
