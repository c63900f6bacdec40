import type { ComponentProps } from 'react';

export interface FieldProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
}

export type SelectProps<Value extends string> = Omit<FieldProps<Value>, 'label'> & {
  /** By value, or in pairs where values are numbers, whose order a record does not keep. */
  options: Readonly<Record<Value, string>> | readonly (readonly [value: Value, name: string])[];
} & Omit<ComponentProps<'select'>, keyof FieldProps<Value>>;

/** A choice among `options`, in this order. */
export function Select<Value extends string>({ options, onChange, ...select }: SelectProps<Value>) {
  return (
    <select {...select} onChange={(event) => onChange(event.target.value as Value)}>
      {(Array.isArray(options) ? options : Object.entries(options)).map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}
