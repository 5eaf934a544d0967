import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { sentence } from '../format/text.ts';
import styles from './form.module.css';
import { refusedValue } from './refused-value.ts';

/** What is around a control. */
interface Frame {
  readonly label: string;
  /** Set where it may stay empty; its label says so. */
  readonly isOptional?: boolean;
  /** What is wrong with it, in a sentence; null while nothing is known to be. */
  readonly fault?: string | null;
  /** How the daemon refused it, in a sentence; shown until what was refused is edited. */
  readonly refused?: string | null | undefined;
  readonly hint?: ReactNode;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
}

/** A text field with its label, its fault and what helps to fill it. */
export function Field({
  label,
  isOptional,
  fault,
  refused,
  hint,
  before,
  after,
  ...input
}: Frame & ComponentProps<'input'>) {
  const frame = { label, isOptional, fault, refused, hint, before, after, value: input.value };
  return <Framed {...frame}>{(its) => <input autoComplete="off" {...input} {...its} />}</Framed>;
}

/** A choice of many, with the label, fault and help of a field. */
export function Select({
  label,
  isOptional,
  fault,
  refused,
  hint,
  children,
  ...select
}: Frame & ComponentProps<'select'>) {
  return (
    <Framed {...{ label, isOptional, fault, refused, hint, value: select.value }}>
      {(its) => (
        <select {...select} {...its}>
          {children}
        </select>
      )}
    </Framed>
  );
}

/** A control in its frame; `children` gets what ties it to that. */
function Framed({
  label,
  isOptional,
  fault: typedFault = null,
  refused = null,
  hint,
  before,
  after,
  value,
  children,
}: { readonly [Part in keyof Frame]: Frame[Part] | undefined } & {
  readonly label: string;
  readonly value: unknown;
  children(
    its: Pick<ComponentProps<'input'>, 'id' | 'aria-invalid' | 'aria-describedby'>,
  ): ReactNode;
}) {
  const id = useId();
  const note = `${id}-note`;
  const fault = useFault(typedFault, { refused, value });
  return (
    <div className={styles['field']}>
      <FieldLabel label={label} isOptional={isOptional} htmlFor={id} />
      <div className={`${styles['control']} ${fault === null ? '' : styles['faulty']}`}>
        {before === undefined ? null : <span className={styles['affix']}>{before}</span>}
        {children({
          id,
          'aria-invalid': fault !== null,
          'aria-describedby': fault !== null || hint !== undefined ? note : undefined,
        })}
        {after === undefined ? null : <span className={styles['affix']}>{after}</span>}
      </div>
      <Note id={note} fault={fault} hint={hint} />
    </div>
  );
}

/** What is wrong with what is in a field now: by itself, or by a refusal of this very value. */
function useFault(
  typed: string | null,
  now: { readonly refused: string | null; readonly value: unknown },
): string | null {
  const [of, setOf] = useState(now);
  const next = refusedValue(of, now);
  if (next !== of) setOf(next);
  return typed ?? (next.value === now.value ? now.refused : null);
}

/** The label of a field, and whether the field may stay empty. */
export function FieldLabel({
  label,
  isOptional = false,
  htmlFor,
}: {
  readonly label: string;
  readonly isOptional?: boolean | undefined;
  readonly htmlFor: string;
}) {
  return (
    <label className={styles['label']} htmlFor={htmlFor}>
      {isOptional ? `${label} (optional)` : label}
    </label>
  );
}

function Note({
  id,
  fault,
  hint,
}: {
  readonly id: string;
  readonly fault: string | null;
  readonly hint: ReactNode;
}) {
  if (fault !== null)
    return (
      <span id={id} className={styles['fault']} role="alert">
        {sentence(fault)}
      </span>
    );
  return hint === undefined ? null : (
    <span id={id} className={styles['hint']}>
      {hint}
    </span>
  );
}

/** One of a few, side by side; radios, so that arrow keys move between them. */
export function Segment<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  /** Read to those who do not see it. */
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, shown: ReactNode])[];
  onChange(value: Value): void;
}) {
  const name = useId();
  return (
    <fieldset className={styles['segment']} style={{ border: undefined }}>
      <legend className="hidden-visually">{label}</legend>
      {choices.map(([each, shown]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          {shown}
        </label>
      ))}
    </fieldset>
  );
}

/** On or off. */
export function Switch({
  label,
  ...input
}: { readonly label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={styles['switch']}>
      <span>{label}</span>
      <input {...input} type="checkbox" role="switch" />
    </label>
  );
}
