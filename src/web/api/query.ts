import { backOffMs } from '../../domain/back-off.ts';
import {
  QueryClient,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { call } from './client.ts';
import { Problem } from './problem.ts';
import type { CallName, Input, Output } from './routes.ts';

/** Topics keep answers fresh, and 600 reads a minute are for all tabs together. */
const FRESH_MS = 30_000;

/** Between repetitions of a read. */
const RETRY = { firstMs: 500, maximumMs: 4_000 };

/** Retries reads twice where that may help; a refusal is shown at once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) =>
        failures < 2 && error instanceof Problem && (error.status === 0 || error.status >= 500),
      retryDelay: (failures, error) =>
        error instanceof Problem && error.retryAfterMs !== null
          ? error.retryAfterMs
          : backOffMs(failures, RETRY),
    },
    mutations: { retry: false },
  },
});

/** The cache's key of a call with its input. */
function keyOf<Name extends CallName>(name: Name, input?: Input<Name>): readonly unknown[] {
  return input === undefined ? [name] : [name, input];
}

/** Reads a call of the table into the page. Errors: `Problem`, as `error`. */
export function useRead<Name extends CallName>(
  name: Name,
  input: Input<Name>,
  {
    enabled = true,
    everyMs,
  }: {
    readonly enabled?: boolean;
    /** Reads again so often, ms; only where no topic tells of changes. */
    readonly everyMs?: number;
  } = {},
): UseQueryResult<Output<Name>, Problem> {
  return useQuery<Output<Name>, Problem>({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }) => call(name, input, { signal }),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** Makes a call that changes something, and reads again what it may have changed. */
export function useChange<Name extends CallName>(
  name: Name,
  changes: readonly CallName[],
): UseMutationResult<Output<Name>, Problem, Input<Name>> {
  return useMutation<Output<Name>, Problem, Input<Name>>({
    mutationFn: (input) => call(name, input),
    onSuccess: () => readAgain(changes),
  });
}

/** Has every read made again that got no answer, where a page shows it. */
export async function readFailedAgain(): Promise<void> {
  await queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.status === 'error',
  });
}

/** Has every read of these calls made again, where a page shows it. */
export async function readAgain(names: readonly CallName[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}
