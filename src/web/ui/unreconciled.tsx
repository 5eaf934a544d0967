import type { Output } from '../api/routes.ts';

/** Says that figures may lack something after a restore; nothing where they do not. */
export function Unreconciled({
  books = 'reconciled',
}: {
  readonly books: Output<'GET /api/portfolio/'>['books'] | undefined;
}) {
  if (books === 'reconciled') return null;
  return (
    <p className="warn" role="status">
      This service was restored from a backup. What you traded and moved after it may be missing
      from every figure here until it has been read from venues and chains; you cannot buy until
      then.
    </p>
  );
}
