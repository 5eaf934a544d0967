import type { ComponentProps, ReactNode } from 'react';
import { isAbsent } from './absent.ts';
import { Card } from './card.tsx';
import { Page } from './layout.tsx';
import { Empty, Read } from './state.tsx';

/**
 * A page that is made of one answer: while it waits for that, and where it is refused, it has
 * `title` for its name. Where its address names nothing it leads to `list`.
 */
export function ReadPage<Answer>({
  title,
  of,
  lines = 8,
  list,
  children,
}: {
  readonly title: string;
  readonly of: ComponentProps<typeof Read<Answer>>['of'];
  readonly lines?: number;
  /** The link to all there are; without one the refusal is shown. */
  readonly list?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}) {
  const isNothing = of.data === undefined && of.error !== null && isAbsent(of.error);
  if (isNothing && list !== undefined) return <NothingThere title={title} list={list} />;
  const read = (
    <Read of={of} lines={lines}>
      {children}
    </Read>
  );
  return of.data === undefined ? <Page title={title}>{read}</Page> : read;
}

/** A page whose address names nothing, with the link to what there is. */
export function NothingThere({
  title,
  list,
}: {
  readonly title: string;
  readonly list: ReactNode;
}) {
  return (
    <Page title={title}>
      <Card>
        <Empty next={list}>
          There is no such {title.toLowerCase()}. The address may be mistyped or old.
        </Empty>
      </Card>
    </Page>
  );
}
