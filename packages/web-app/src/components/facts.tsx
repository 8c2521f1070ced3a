import './facts.css';
import type { ComponentChildren } from 'preact';

export type Fact = readonly [label: string, value: ComponentChildren];

interface FactsProps {
  readonly facts: readonly (Fact | null)[];
  /** Aligns the values, which are amounts, to the right. */
  readonly amounts?: boolean;
}

/** A list of labels and values; missing values are left out. */
export function Facts({ facts, amounts = false }: FactsProps) {
  const known = facts.filter((fact): fact is Fact => fact !== null);
  if (known.length === 0) return null;
  return (
    <dl class={amounts ? 'facts amounts' : 'facts'}>
      {known.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const fact = <T,>(
  label: string,
  value: T | null | undefined,
  show: (value: T) => ComponentChildren = (known) => String(known),
): Fact | null => (value === null || value === undefined ? null : [label, show(value)]);

export function Section(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** A section of facts, left out when it is empty. */
export function FactSection({ title, ...rest }: FactsProps & { readonly title: string }) {
  if (rest.facts.every((one) => one === null)) return null;
  return (
    <Section title={title}>
      <Facts {...rest} />
    </Section>
  );
}
