import {
  ReduceDataOptionsBuilder,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  VizLegendOptionsBuilder,
  LegendDisplayMode,
  LegendPlacement,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  VisibilityMode,
  VizOrientation,
} from '@grafana/grafana-foundation-sdk/common';
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  MappingType,
  QueryVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableHide,
  VariableRefresh,
  type DynamicConfigValue,
  type Threshold,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { anchorOf, RUNBOOK } from '../alerts/runbook.ts';
import type { Board, PanelQuery, PanelSpec, Thresholds, ValueWord } from './panel.ts';

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const HEIGHTS = { stat: 4, list: 4, lines: 7, timeline: 7 } as const;
const WIDTHS = { stat: 4, list: 12, lines: 8, timeline: 12 } as const;

type AnyBuilder = StatBuilder | LinesBuilder | TimelineBuilder;

/** Returns a dashboard as Grafana reads it. */
export function dashboardOf(board: Board): unknown {
  const dashboard = new DashboardBuilder(board.title)
    .uid(board.uid)
    .description(board.description)
    .tags(['predictd'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .timezone('utc')
    .withVariable(
      new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'),
    )
    .withVariable(choice('venue', 'label_values(predictd_books_watched, venue)'))
    .withVariable(choice('agent', 'label_values(predictd_decisions_total, agent)'))
    .withVariable(
      new TextBoxVariableBuilder('runbook')
        .description('Where the runbook is served; links to it begin with this')
        .hide(VariableHide.HideVariable)
        .defaultValue(RUNBOOK),
    )
    .link(
      new DashboardLinkBuilder('predictd')
        .type(DashboardLinkType.Dashboards)
        .tags(['predictd'])
        .asDropdown(true)
        .keepTime(true)
        .includeVars(true),
    )
    .annotation(
      annotated(
        'Alerts',
        'red',
        'ALERTS{alertstate="firing",alertname!="PredictdWatchdog"}',
        '{{alertname}}',
      ),
    )
    .annotation(
      annotated('Starts', 'blue', 'changes(predictd_start_time_seconds[1m]) > 0', 'started'),
    );
  let id = 0;
  for (const row of board.rows) {
    id += 1;
    dashboard.withRow(new RowBuilder(row.title).id(id));
    for (const panel of row.panels) {
      id += 1;
      dashboard.withPanel(built(panel, id));
    }
  }
  return dashboard.build();
}

function choice(name: string, query: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(name)
    .query(query)
    .datasource(SOURCE)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .refresh(VariableRefresh.OnTimeRangeChanged);
}

function annotated(
  name: string,
  colour: string,
  expr: string,
  title: string,
): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(SOURCE)
    .enable(true)
    .iconColor(colour)
    .expr(expr)
    .titleFormat(title)
    .step('60s');
}

function built(panel: PanelSpec, id: number): AnyBuilder {
  const { kind, queries } = panel;
  const builder = drawn(panel)
    .id(id)
    .title(panel.title)
    .description(panel.description)
    .datasource(SOURCE)
    .unit(panel.unit)
    .span(panel.width ?? WIDTHS[kind])
    .height(panel.height ?? HEIGHTS[kind])
    .noValue(panel.empty)
    .thresholds(stepsOf(panel.thresholds))
    .links([
      new DashboardLinkBuilder('What to do')
        .type(DashboardLinkType.Link)
        .url(`\${runbook}#${anchorOf(panel.runbook)}`)
        .targetBlank(true),
    ]);
  if (panel.words !== undefined) builder.mappings(panel.words.map(mappingOf));
  for (const [index, asked] of queries.entries()) {
    const { expr, legend } = asked;
    const refId = String.fromCharCode(65 + index);
    const properties = propertiesOf(asked);
    if (properties.length > 0) builder.overrideByQuery(refId, properties);
    const query = new DataqueryBuilder()
      .refId(refId)
      .expr(expr)
      .legendFormat(legend)
      .datasource(SOURCE);
    builder.withTarget(kind === 'stat' || kind === 'list' ? query.instant() : query.range());
  }
  return builder;
}

/** What one query's figures have other than the panel's. */
function propertiesOf({ colour, unit }: PanelQuery): DynamicConfigValue[] {
  return [
    ...(colour === undefined
      ? []
      : [{ id: 'color', value: { mode: 'fixed', fixedColor: colour } }]),
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
  ];
}

function drawn({ kind }: PanelSpec): AnyBuilder {
  switch (kind) {
    case 'stat':
      return new StatBuilder()
        .colorMode(BigValueColorMode.Value)
        .graphMode(BigValueGraphMode.None)
        .textMode(BigValueTextMode.Auto)
        .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
    case 'list':
      return new StatBuilder()
        .colorMode(BigValueColorMode.Value)
        .graphMode(BigValueGraphMode.None)
        .textMode(BigValueTextMode.ValueAndName)
        .orientation(VizOrientation.Horizontal)
        .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
    case 'lines':
      return new LinesBuilder()
        .lineWidth(1)
        .fillOpacity(0)
        .showPoints(VisibilityMode.Never)
        .spanNulls(false)
        .thresholdsStyle(
          new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed),
        )
        .legend(
          new VizLegendOptionsBuilder()
            .displayMode(LegendDisplayMode.List)
            .placement(LegendPlacement.Bottom)
            .showLegend(true),
        );
    case 'timeline':
      return new TimelineBuilder().showValue(VisibilityMode.Never).rowHeight(0.8);
  }
}

function stepsOf({ orange, red, isLow }: Thresholds): ThresholdsConfigBuilder {
  // The first step has no lower end, which Grafana writes as null.
  const steps: readonly Threshold[] = isLow
    ? [
        { value: null, color: 'red' },
        ...(orange === undefined
          ? [{ value: red, color: 'green' }]
          : [
              { value: red, color: 'orange' },
              { value: orange, color: 'green' },
            ]),
      ]
    : [
        { value: null, color: 'green' },
        ...(orange === undefined ? [] : [{ value: orange, color: 'orange' }]),
        { value: red, color: 'red' },
      ];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([...steps]);
}

function mappingOf({ from, to, text, colour }: ValueWord, index: number): ValueMapping {
  const result = { text, color: colour, index };
  return from === to
    ? { type: MappingType.ValueToText, options: { [String(from)]: result } }
    : { type: MappingType.RangeToText, options: { from, to, result } };
}
