import type { Environment } from '../../config/schema.ts';
import type { Exemplars } from '../ports/metrics.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Teardown } from './teardown.ts';

/**
 * Opens tracing where a receiver is configured; else nothing of it is loaded, and null is given.
 * Begun before trading and ended after it.
 */
export async function openTracing(
  { PREDICTD_OTLP_URL: url }: Pick<Environment, 'PREDICTD_OTLP_URL'>,
  { random, metrics, log }: Pick<OpenRuntime, 'random' | 'metrics' | 'log'>,
  { teardown, version }: { readonly teardown: Teardown; readonly version: () => string },
): Promise<(Tracing & Exemplars) | null> {
  if (url === undefined) return null;
  const { createOtlpTracing } = await import('../adapters/tracing/otlp-tracing.ts');
  const tracing = createOtlpTracing({
    url,
    version: version(),
    instance: String(process.pid),
    random,
    metrics,
    log,
  });
  teardown.add(() => tracing.stop());
  return {
    ...tracing,
    exemplar: (name, value, of) => metrics.exemplar(name, value, of),
  };
}
