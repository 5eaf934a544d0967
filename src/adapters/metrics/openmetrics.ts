/**
 * Rewrites Prometheus' text format 0.0.4 as OpenMetrics 1.0 (openmetrics.io, "Text Format"): a
 * counter's family goes without `_total`, quotes in HELP are escaped, no line is blank, and the
 * text says where it ends. `beside` adds an exemplar to a sample that has one. prom-client's own
 * way changes the names in its registry for good.
 */
export function toOpenMetrics(
  text: string,
  beside: (sample: string) => string = (sample) => sample,
): string {
  const counters = new Set(
    [...text.matchAll(/^# TYPE (\S+)_total counter$/gm)].map((match) => match[1] ?? ''),
  );
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
      if (keyword === undefined || name === undefined || rest === undefined) return beside(line);
      const family = name.replace(/_total$/, '');
      const said = keyword === 'HELP' ? rest.replaceAll('"', '\\"') : rest;
      return `# ${keyword} ${counters.has(family) ? family : name} ${said}`;
    });
  return `${lines.join('\n')}\n# EOF\n`;
}
