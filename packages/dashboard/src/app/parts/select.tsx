import type { ComponentProps } from 'react';

export interface FieldProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
}

export type SelectProps<Value extends string> = Omit<FieldProps<Value>, 'label'> & {
  options: Readonly<Record<Value, string>>;
} & Omit<ComponentProps<'select'>, keyof FieldProps<Value>>;

/** A choice among `options`, by value, in this order. */
export function Select<Value extends string>({ options, onChange, ...select }: SelectProps<Value>) {
  return (
    <select {...select} onChange={(event) => onChange(event.target.value as Value)}>
      {Object.entries<string>(options).map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}
