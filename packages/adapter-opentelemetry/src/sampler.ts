import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** The names of `OTEL_TRACES_SAMPLER` in the specification of OpenTelemetry. */
export type TracesSampler = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`;

export interface Sampling {
  readonly sampler: TracesSampler;
  /** Share of the traces, of `traceidratio`. */
  readonly ratio: number;
}

export function createSampler({ sampler, ratio }: Sampling): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[sampler.replace('parentbased_', '') as 'always_on' | 'always_off' | 'traceidratio']();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
