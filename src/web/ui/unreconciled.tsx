import type { Output } from '../api/routes.ts';

/** Says that figures may lack something, that a wallet differs, or that a venue refuses cash. */
export function Unreconciled({
  books = 'reconciled',
}: {
  readonly books: Output<'GET /api/portfolio/'>['books'] | undefined;
}) {
  if (books === 'reconciled') return null;
  if (books === 'mismatched')
    return (
      <p className="warn" role="status">
        A wallet of yours holds something else on its chain than the books of this service have. New
        orders of more than the chain shows wait until both agree.
      </p>
    );
  if (books === 'disputed')
    return (
      <p className="warn" role="status">
        A venue refused an order for want of money that you have by the books here. New orders wait
        a while; the next one finds out whether it still does.
      </p>
    );
  return (
    <p className="warn" role="status">
      This service was restored from a backup. What you traded and moved after it may be missing
      from every figure here until it has been read from venues and chains; you cannot buy until
      then.
    </p>
  );
}
